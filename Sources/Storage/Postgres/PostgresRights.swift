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
