"""Objects beside a log in its PostgreSQL database that give somebody power over it.

The list of what a log needs is short: the objects of its schema, the rights of the seven roles, and
the logins to which ``sabot store secure`` granted them. Whatever else is there is found here:
objects in the schema, publications, child tables, views and functions elsewhere that use the log
with its owner's rights, event triggers, settings, owners, and memberships and attributes of roles.
"""

from collections.abc import Collection
from typing import Final

from sqlalchemy.engine import Connection

from sabot.infrastructure.database.roles import ROLES

Found = tuple[str, str]
"""The kind of a thing, and its name."""

_HOME: Final = """
    WITH RECURSIVE home AS (
      SELECT c.relowner AS owner, c.relnamespace AS schema, n.nspowner AS schema_owner,
             d.datdba AS database_owner, d.oid AS database
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace,
           pg_database AS d
      WHERE c.oid = to_regclass('log_event') AND d.datname = current_database()
    ), ours AS (
      SELECT oid FROM pg_class WHERE relname = ANY(%(relations)s)
        AND relnamespace = (SELECT schema FROM home)
    ), extended AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e')
"""
_OBJECTS: Final = """
    SELECT CASE relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                        WHEN 'S' THEN 'sequence' ELSE 'table' END, relname::text
    FROM pg_class WHERE relnamespace = (SELECT schema FROM home) AND relkind NOT IN ('i', 'I', 't')
      AND oid NOT IN (SELECT oid FROM ours)
      AND (1259, oid) NOT IN (SELECT classid, objid FROM extended)
    UNION
    SELECT 'child table', inhrelid::regclass::text FROM pg_inherits
    WHERE inhparent IN (SELECT oid FROM ours)
    UNION
    SELECT 'view', r.ev_class::regclass::text
    FROM pg_rewrite AS r JOIN pg_depend AS d
      ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid IN (SELECT oid FROM ours)
      AND r.ev_class NOT IN (SELECT oid FROM ours)
    UNION
    SELECT 'function', oid::regprocedure::text FROM pg_proc
    WHERE prosecdef AND proowner = (SELECT owner FROM home) AND oid >= 16384
      AND pronamespace <> (SELECT schema FROM home)
      AND ('pg_proc'::regclass, oid) NOT IN (SELECT classid, objid FROM extended)
    UNION
    SELECT 'operator', oid::regoperator::text FROM pg_operator
    WHERE oprnamespace = (SELECT schema FROM home)
      AND ('pg_operator'::regclass, oid) NOT IN (SELECT classid, objid FROM extended)
    UNION
    SELECT 'collation', collname::text FROM pg_collation
    WHERE collnamespace = (SELECT schema FROM home)
      AND ('pg_collation'::regclass, oid) NOT IN (SELECT classid, objid FROM extended)
    UNION
    SELECT CASE typtype WHEN 'd' THEN 'domain' ELSE 'type' END, typname::text
    FROM pg_type AS t WHERE typnamespace = (SELECT schema FROM home) AND typrelid = 0
      AND oid NOT IN (SELECT typarray FROM pg_type)
      AND ('pg_type'::regclass, oid) NOT IN (SELECT classid, objid FROM extended)
    UNION
    SELECT 'statistics', stxname::text FROM pg_statistic_ext
    WHERE stxrelid IN (SELECT oid FROM ours) OR stxnamespace = (SELECT schema FROM home)
    UNION
    SELECT 'publication', pubname::text FROM pg_publication AS p
    WHERE puballtables
      OR oid IN (SELECT prpubid FROM pg_publication_rel WHERE prrelid IN (SELECT oid FROM ours))
      OR oid IN (SELECT pnpubid FROM pg_publication_namespace
                 WHERE pnnspid = (SELECT schema FROM home))
    UNION
    SELECT 'row', concat('log_revision: ', version_num) FROM log_revision
    WHERE (SELECT count(*) FROM log_revision) > 1
    UNION
    SELECT 'event trigger', evtname::text FROM pg_event_trigger
    WHERE ('pg_event_trigger'::regclass, oid) NOT IN (SELECT classid, objid FROM extended)
"""
# A setting of time-outs, memory or talk gives nobody power; Sabot sets isolation and durability
# itself. A superuser has every power anyway.
_POWERS: Final = """
    , subjects AS (SELECT * FROM pg_roles WHERE rolname = ANY(%(subjects)s)
      AND oid <> (SELECT owner FROM home)
    ), reached (member, role) AS (
      SELECT member, roleid FROM pg_auth_members
      UNION
      SELECT r.member, a.roleid FROM reached AS r JOIN pg_auth_members AS a ON a.member = r.role
    ), settings AS (
      SELECT s.setrole, split_part(c, '=', 1) AS name
      FROM pg_db_role_setting AS s, unnest(s.setconfig) AS c
      WHERE s.setdatabase IN (0, (SELECT database FROM home))
        AND (s.setrole IN (0, (SELECT owner FROM home))
             OR s.setrole IN (SELECT oid FROM subjects))
    )
    SELECT 'setting',
           concat(coalesce(pg_get_userbyid(nullif(setrole, 0)), 'all logins'), ': ', name)
    FROM settings
    WHERE name !~* '(_timeout$|work_mem$|^timezone$|^log_|^client_|^default_transaction_isolation$)'
      AND name !~* '^(synchronous_commit|datestyle|lc_.*|application_name|statement_.*)$'
    UNION
    SELECT 'attribute', concat(s.rolname, ': ', a.name)
    FROM subjects AS s, LATERAL (VALUES ('SUPERUSER', rolsuper), ('CREATEROLE', rolcreaterole),
      ('REPLICATION', rolreplication), ('BYPASSRLS', rolbypassrls),
      ('LOGIN', rolcanlogin AND rolname = ANY(%(roles)s))) AS a (name, held)
    WHERE a.held
    UNION
    SELECT 'membership', concat(m.rolname, ': ', r.rolname)
    FROM reached JOIN pg_roles AS m ON m.oid = member JOIN pg_roles AS r ON r.oid = role
    WHERE r.rolname ~ '^pg_' AND m.rolname !~ '^pg_' AND NOT m.rolsuper
      AND m.oid <> (SELECT owner FROM home)
      AND (r.rolname = 'pg_write_all_data' OR m.oid IN (SELECT oid FROM subjects))
      AND r.rolname NOT IN ('pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats',
        'pg_stat_scan_tables', 'pg_checkpoint', 'pg_use_reserved_connections')
    UNION
    SELECT 'right', concat(
      CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END, ': ',
      a.privilege_type, ' on the setting ', p.parname)
    FROM pg_parameter_acl AS p, aclexplode(p.paracl) AS a
    WHERE a.grantee = 0 OR a.grantee IN (SELECT oid FROM subjects)
    UNION
    SELECT 'owner', concat(w.what, ': ', r.rolname)
    FROM home, LATERAL (VALUES ('the schema', schema_owner), ('the database', database_owner))
      AS w (what, who) JOIN pg_roles AS r ON r.oid = w.who
    WHERE w.who <> owner AND r.rolname <> 'pg_database_owner' AND NOT r.rolsuper
"""
# Who creates a role administers it, so the owner of the log does. Other logs of the server use the
# roles too: a role that has no rights here does not count, nor a login that may not connect.
_MEMBERS: Final = """
    SELECT m.rolname::text, r.rolname::text, bool_or(a.admin_option)
    FROM pg_auth_members AS a
    JOIN pg_roles AS m ON m.oid = a.member JOIN pg_roles AS r ON r.oid = a.roleid
    WHERE m.oid <> (SELECT owner FROM home) AND (
      r.rolname = ANY(%(roles)s)
      AND (a.admin_option OR NOT m.rolcanlogin OR m.rolname = ANY(%(roles)s)
           OR has_database_privilege(m.oid, (SELECT database FROM home), 'CONNECT'))
      AND EXISTS (SELECT FROM pg_class AS c, aclexplode(c.relacl) AS g
                  WHERE c.oid = to_regclass('log_event') AND g.grantee = r.oid)
      OR r.oid = (SELECT owner FROM home) AND m.rolname <> session_user)
    GROUP BY m.rolname, r.rolname
"""
_GRANTED: Final = """
    SELECT login, role FROM access_grant WHERE EXISTS (SELECT FROM pg_roles WHERE rolname = login)
"""


class Surroundings:
    """The objects beside the log, and the rights and roles that were granted.

    Args:
        connection: connects as the owner.
        relations: the names of the relations of a new log.
    """

    def __init__(self, connection: Connection, relations: list[str]) -> None:
        self._connection = connection
        self._names = {"relations": relations, "roles": list(ROLES)}
        known = connection.exec_driver_sql("SELECT to_regclass('access_grant') IS NOT NULL")
        rows = connection.exec_driver_sql(_GRANTED) if known.scalar_one() else ()
        self.granted = {(login, role) for login, role in rows}
        """Logins and the roles that they were granted, apart from dropped logins."""
        members = connection.exec_driver_sql(_HOME + _MEMBERS, self._names)
        self.members = {(member, role): admin for member, role, admin in members}
        """Members of the roles and of the owner, and whether they may grant the role to others."""

    def objects(self) -> list[Found]:
        """Return the objects that a log does not have."""
        rows = self._connection.exec_driver_sql(_HOME + _OBJECTS, self._names)
        return [(kind, name) for kind, name in rows]

    def powers(self, grantees: Collection[str]) -> list[Found]:
        """Return memberships, attributes and settings that `secure` did not give.

        ``grantees`` are those who have rights themselves.
        """
        subjects = {*ROLES, *grantees, *(login for login, _ in self.granted | {*self.members})}
        names = {**self._names, "subjects": sorted(subjects)}
        rows = self._connection.exec_driver_sql(_HOME + _POWERS, names)
        found = [(kind, name) for kind, name in rows]
        for (member, role), admin in self.members.items():
            if admin or (member, role) not in self.granted:
                more = " WITH ADMIN OPTION" if admin else ""
                found.append(("membership", f"{member}: {role}{more}"))
        return found
