#!/bin/sh
# Installs Madang's Debian package of this release, after checking its signature. Run it as root on Debian 12 or newer.
# Usage: sh install.sh [--allow-downgrade]; the option allows an older version than the installed one.
# Settings: MADANG_RELEASE, where the release is, instead of the address below.
set -eu
release=${MADANG_RELEASE:-@RELEASE@}
fail() { echo "install.sh: $1" >&2; exit 1; }
downgrade=${1:-}
[ "${downgrade:---allow-downgrade}" = --allow-downgrade ] || fail "$downgrade is unknown; there is --allow-downgrade"
[ "$(id -u)" -eq 0 ] || fail "run it as root, for example with sudo"
for program in dpkg gpgv sha256sum; do
  command -v "$program" >/dev/null || fail "$program is missing; this script is for Debian"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work"

download() { # NAME
  if command -v curl >/dev/null; then curl --fail --silent --show-error --location --output "$1" "$release/$1"
  elif command -v wget >/dev/null; then wget --quiet --output-document="$1" "$release/$1"
  else /usr/lib/apt/apt-helper -qq download-file "$release/$1" "$work/$1"; fi || fail "$release/$1 cannot be downloaded"
}

# The key that signs releases.
base64 --decode >key.gpg <<'KEY'
@KEY@
KEY
download SHA256SUMS
download SHA256SUMS.gpg
gpgv --quiet --keyring "$work/key.gpg" SHA256SUMS.gpg SHA256SUMS 2>log || fail "the signature of $release/SHA256SUMS is wrong: $(cat log)"
package=$(sed -n "s/^[0-9a-f]*  \(madang_[^/]*_$(dpkg --print-architecture)\.deb\)$/\1/p" SHA256SUMS)
[ -n "$package" ] || fail "the release has no package for $(dpkg --print-architecture)"
download "$package"
grep "  $package\$" SHA256SUMS | sha256sum --check --quiet || fail "$package is not what was signed"
# An old release has a right signature, too, and faults that are known.
installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Version}' madang 2>/dev/null | sed -n 's/^installed //p')
offered=$(dpkg-deb --field "$package" Version)
[ -n "$downgrade" ] || dpkg --compare-versions "$offered" ge "$installed" ||
  fail "the release has $offered, which is older than the installed $installed; to install it anyway: sh install.sh --allow-downgrade"
apt-get update -qq
apt-get install -y ${downgrade:+--allow-downgrades} "$work/$package"
echo "Installed. What next: madang setup NAME (man madang, /usr/share/doc/madang/host.md)"
