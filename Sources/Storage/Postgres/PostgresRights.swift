/// Rights that a PostgreSQL role may lack on the program's tables, with the cure.
enum PostgresRights {
  static let schemaCure =
    "let the role of --database-url create tables: as a superuser, ALTER DATABASE name OWNER TO role, or in the database "
    + "GRANT USAGE, CREATE ON SCHEMA public TO role"
  static let ownerCure =
    "use the role that owns the tables in --database-url, or give them to the present role: REASSIGN OWNED BY owner TO role"
  static let searchPathCure =
    "set the search_path of the role to an existing schema: ALTER ROLE role SET search_path = public"

  /// The cure for an error that is caused by a mistake in setting up PostgreSQL; nil for other errors.
  static func cure(of state: String, _ message: String) -> String? {
    switch state {
    // Since PostgreSQL 15 only a database's owner may make tables in its schema `public`.
    case "42501": message.contains("for schema") ? schemaCure : ownerCure
    case "3F000": searchPathCure
    default: nil
    }
  }
}

extension Transaction {
  /// Throws if this role of PostgreSQL cannot create tables, or if the tables exist but belong to another role.
  func requireRoomForTables() throws {
    let found = try first(
      """
      SELECT CAST(current_schema() AS TEXT) AS schema,
        CASE WHEN has_schema_privilege(current_schema(), 'CREATE') THEN 1 ELSE 0 END AS may_create,
        (SELECT CAST(tableowner AS TEXT) FROM pg_tables
          WHERE schemaname = current_schema() AND tablename = 'schema_migrations') AS owner
      """
    ) { row in
      (
        schema: try row.get("schema", as: String?.self), mayCreate: try row.get("may_create", as: Int.self) == 1,
        owner: try row.get("owner", as: String?.self)
      )
    }
    guard let found else { return }
    guard let schema = found.schema else {
      throw StorageError(.other, "no schema has been selected to create tables in", cure: PostgresRights.searchPathCure)
    }
    if let owner = found.owner {
      throw StorageError(.other, "the tables belong to the role \(owner)", cure: PostgresRights.ownerCure)
    }
    if !found.mayCreate {
      throw StorageError(.other, "permission denied for schema \(schema)", cure: PostgresRights.schemaCure)
    }
  }
}
