#!/bin/sh
# Makes a base for the image out of Debian's own packages, where no registry of images is within reach:
#   ops/image/make-base.sh && BASE=localhost/tollgate-base:12 ops/image/build.sh
# As root, with mmdebstrap and buildah. MIRROR is Debian's own, or an address, or a file of apt's sources.
set -eu
image=${1:-localhost/tollgate-base:12}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mmdebstrap --variant=minbase --include=libatomic1,libstdc++6,passwd \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  bookworm "$work/base.tar" ${MIRROR:+"$MIRROR"}
container=$(buildah from scratch)
# An archive is unpacked where it is added.
buildah add "$container" "$work/base.tar" / > /dev/null
buildah config --cmd /bin/sh --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit --rm "$container" "$image"
