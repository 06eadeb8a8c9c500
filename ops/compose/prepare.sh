#!/bin/sh
# Makes what is secret in an installation by compose.yaml, in ops/compose/secrets, and leaves what is there already: ops/compose/prepare.sh
set -eu
cd "$(dirname "$0")"
# Containers read these files as users that this machine does not know, so each is readable; the folder is this user's alone.
mkdir -p secrets
chmod 700 secrets
umask 022

secret() { openssl rand -hex 32; }
[ -s secrets/postgres_password ] || secret | tr -d '\n' > secrets/postgres_password
[ -s secrets/grafana_password ] || secret | tr -d '\n' > secrets/grafana_password
[ -s secrets/s3_secret ] || secret | tr -d '\n' > secrets/s3_secret
[ -s secrets/s3_identities.json ] || cat > secrets/s3_identities.json <<END
{
  "identities": [
    {
      "name": "tollgate",
      "credentials": [{ "accessKey": "tollgate", "secretKey": "$(cat secrets/s3_secret)" }],
      "actions": ["Admin", "Read", "Write", "List", "Tagging"]
    }
  ]
}
END
[ -s secrets/tollgate.env ] || cat > secrets/tollgate.env <<END
SESSION_SECRET=$(secret)
DATABASE_URL=postgresql://tollgate:$(cat secrets/postgres_password)@postgres/tollgate
STORAGE_URL=s3://tollgate:$(cat secrets/s3_secret)@s3:8333/tollgate?region=us-east-1&http=1
# Mail, without which no link of a sign-up arrives:
#SMTP_URL=smtps://USER:PASSWORD@HOST
#MAIL_FROM=Tollgate <noreply@example.com>
# What your catalogue calls by name:
#MY_PROVIDER_KEY=
END
# One to try with, which browsers warn of. Yours: the certificate, what signed it, and its key, in one file of this name.
if ! [ -s secrets/certificate.pem ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout secrets/key.pem -out secrets/chain.pem 2> /dev/null
  cat secrets/chain.pem secrets/key.pem > secrets/certificate.pem
  rm secrets/chain.pem secrets/key.pem
fi
chmod 644 secrets/*
echo "ops/compose/secrets has all that compose.yaml needs; put the credentials of your providers into tollgate.env"
