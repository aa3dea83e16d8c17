#!/bin/sh
# PostgreSQL's image runs this once, when it makes its data directory: madang gets a role that owns its database and nothing else.
# The superuser loses its password, so that no container can use it; `docker compose exec postgres psql -U postgres` still can.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres --set password="$POSTGRES_PASSWORD" <<'SQL'
CREATE ROLE madang LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE madang OWNER madang TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE madang FROM PUBLIC;
ALTER ROLE CURRENT_USER PASSWORD NULL;
SQL
