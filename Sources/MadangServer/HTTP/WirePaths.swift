import MadangAPI
import MadangCore

/// A stored path as it travels.
func wirePath(_ stored: String) -> String { StoredPath.prefix + stored }

/// The same for a picture that is never null: the folder's built-in one if there is none.
func wirePath(_ stored: String?, default folder: FileFolder) -> String {
  wirePath(stored ?? "\(folder.rawValue)/\(FileStore.defaultPicture)")
}
