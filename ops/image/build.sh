#!/bin/sh
# Builds the image out of the package: ops/image/build.sh [NAME:TAG]. From any folder, on Linux with buildah, or with Docker (BUILDER=docker).
#   BASE=…        another base than the Containerfile's, such as the one of make-base.sh
#   CPU=arm64     for another processor than this machine's
#   BUILDER=none  only what the image is built of, in dist/image
set -eu
umask 022
cd "$(dirname "$0")/../.."

version=$(node -p 'require("./package.json").version')
image=${1:-localhost/tollgate:$version}
builder=${BUILDER:-buildah}
cpu=${CPU:-$(node -p process.arch)}
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
# Every file in it has the commit's time.
time=$(git log -1 --format=%ct 2>/dev/null || echo 0)

npm run --silent package
rm -rf dist/image
mkdir -p dist/image/app
tar -xzf "dist/tollgate-$version.tgz" -C dist/image/app --strip-components=1 --no-same-owner
# Exactly the versions and digests of npm-shrinkwrap.json, without a script of any of them.
(cd dist/image/app && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error --os=linux --cpu="$cpu" --libc=glibc)
(cd dist/image/app && npm sbom --omit=dev --sbom-format=spdx) > dist/image/sbom.spdx.json
# Headers to compile against Node with: 67 MB.
rm -rf dist/image/app/node_modules/node-linux-*/include
chmod -R u=rwX,go=rX dist/image

set -- --file ops/image/Containerfile --build-arg "VERSION=$version" --build-arg "REVISION=$revision" --tag "$image"
if [ -n "${BASE:-}" ]; then set -- "$@" --build-arg "BASE=$BASE"; fi
case $builder in
  # The image format of Docker, since the other one has no health check.
  buildah) buildah bud --isolation chroot --format docker --timestamp "$time" "$@" dist/image ;;
  docker | podman) "$builder" build "$@" dist/image ;;
  none) echo "dist/image is what the image is built of" ;;
  *) echo "BUILDER: buildah, docker, podman or none is expected, not $builder" >&2; exit 2 ;;
esac
