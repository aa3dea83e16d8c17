-- Facts about the installation as a whole, each under a name. 'id' is also written beside the files: a database and files
-- with different ids do not belong together.
CREATE TABLE installation (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);
