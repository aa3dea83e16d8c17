import MadangAPI
import MadangCore

/// A stored path as clients receive it.
func wirePath(_ stored: String) -> String { StoredPath.prefix + stored }

/// The path of a picture as clients receive it: the folder's default picture if there is none.
func wirePath(_ stored: String?, default folder: FileFolder) -> String {
  wirePath(stored ?? "\(folder.rawValue)/\(FileStore.defaultPicture)")
}
