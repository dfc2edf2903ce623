#!/bin/sh
# Create the database and its logins. PostgreSQL's image runs this once, when its volume is empty.
# The owner of the log is no superuser: it may create the roles that `sabot store secure` grants.
set -eu
secrets=${SECRETS:-/run/secrets}
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 \
    --set owner="$(cat "$secrets/owner_password")" \
    --set recorder="$(cat "$secrets/recorder_password")" \
    --set projector="$(cat "$secrets/projector_password")" \
    --set auditor="$(cat "$secrets/auditor_password")" <<'SQL'
CREATE ROLE sabot_owner LOGIN CREATEROLE PASSWORD :'owner';
CREATE ROLE recorder LOGIN PASSWORD :'recorder';
CREATE ROLE projector LOGIN PASSWORD :'projector';
CREATE ROLE auditor LOGIN PASSWORD :'auditor';
CREATE DATABASE sabot OWNER sabot_owner;
SQL
