#!/bin/sh
# Completions and man page are what the program's table of commands says.
set -eu
cd "${SOURCE_DIR:?}"
case ${TRAMMEL:?} in /*) ;; *) TRAMMEL=$OLDPWD/$TRAMMEL ;; esac
export TRAMMEL
scripts/generate --check
for name in $("$TRAMMEL" help | awk '/^  [a-z]/ { print $1 }'); do
    grep -q "^\.BI $name " docs/trammel.1 || { echo "the man page lacks $name"; exit 1; }
done
echo "completions and man page are current"
