/// The SQL of every migration, embedded in the binary, oldest first. A migration that was released never changes.
package enum MigrationFiles {
  package static let all: [(version: Int, name: String, sql: String)] = [
    (1, "initial", String(decoding: PackageResources._001_initial_sql, as: UTF8.self)),
    (2, "file removals", String(decoding: PackageResources._002_file_removals_sql, as: UTF8.self)),
    (3, "administration", String(decoding: PackageResources._003_administration_sql, as: UTF8.self)),
    (4, "payment claims", String(decoding: PackageResources._004_payment_claims_sql, as: UTF8.self)),
    (5, "installation", String(decoding: PackageResources._005_installation_sql, as: UTF8.self)),
    (6, "deletions", String(decoding: PackageResources._006_deletions_sql, as: UTF8.self)),
    (7, "changes", String(decoding: PackageResources._007_changes_sql, as: UTF8.self)),
    (8, "session expiry", String(decoding: PackageResources._008_session_expiry_sql, as: UTF8.self)),
    (9, "push outbox", String(decoding: PackageResources._009_push_outbox_sql, as: UTF8.self)),
    (10, "push by room", String(decoding: PackageResources._010_push_by_room_sql, as: UTF8.self)),
    (11, "audit", String(decoding: PackageResources._011_audit_sql, as: UTF8.self)),
    (12, "registration", String(decoding: PackageResources._012_registration_sql, as: UTF8.self)),
    (13, "hosting", String(decoding: PackageResources._013_hosting_sql, as: UTF8.self)),
    (14, "mail", String(decoding: PackageResources._014_mail_sql, as: UTF8.self)),
    (15, "sign-in revocations", String(decoding: PackageResources._015_sign_in_revocations_sql, as: UTF8.self)),
    (16, "accounts", String(decoding: PackageResources._016_accounts_sql, as: UTF8.self)),
    (17, "operations", String(decoding: PackageResources._017_operations_sql, as: UTF8.self)),
    (18, "sign-in endings", String(decoding: PackageResources._018_sign_in_endings_sql, as: UTF8.self)),
    (19, "notices", String(decoding: PackageResources._019_notices_sql, as: UTF8.self)),
    (20, "device owners", String(decoding: PackageResources._020_device_owners_sql, as: UTF8.self)),
    (21, "documents", String(decoding: PackageResources._021_documents_sql, as: UTF8.self)),
    (22, "bounds", String(decoding: PackageResources._022_bounds_sql, as: UTF8.self)),
    (23, "authors", String(decoding: PackageResources._023_authors_sql, as: UTF8.self)),
    (24, "administrators", String(decoding: PackageResources._024_administrators_sql, as: UTF8.self)),
  ]
}
