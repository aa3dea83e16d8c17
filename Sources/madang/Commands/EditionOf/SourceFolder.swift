import Foundation

/// The files of an app that are worth reading.
struct SourceFolder {
  struct Limits: Sendable {
    var files = 20_000
    /// Files and folders that are looked at.
    var entries = 500_000
    var depth = 40
    /// Larger files are generated, or no sources.
    var fileBytes = 1 << 20
    var totalBytes = 256 << 20
  }

  enum Kind {
    case source(SourceLanguage)
    case configuration
  }

  struct File {
    let url: URL
    /// Relative to the folder.
    let path: String
    let kind: Kind
  }

  let files: [File]
  /// Whether all entries were within the limits.
  private(set) var isComplete = true

  private let limits: Limits

  /// Folders of tools, whose contents are not the app's own.
  private static let foreign: Set = [
    "build", "deriveddata", "pods", "carthage", "node_modules", "xcuserdata", "dist", "out", "target", "vendor",
  ]
  private static let foreignEndings: Set = ["framework", "xcframework", "xcassets", "bundle", "app"]
  private static let configurations: Set = ["plist", "xcconfig", "properties", "gradle", "env"]

  /// Lists the files below a folder, in the order of their paths. Symbolic links are not followed.
  /// - Throws: ``Failure`` if the folder cannot be read.
  init(_ folder: String, limits: Limits = Limits()) throws {
    self.limits = limits
    let root = URL(filePath: folder).resolvingSymlinksInPath()
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: root.path, isDirectory: &isFolder) else {
      throw Failure("\(folder): there is no such folder")
    }
    guard isFolder.boolValue else { throw Failure("\(folder) is a file; name the folder with the app's sources") }
    do { _ = try FileManager.default.attributesOfItem(atPath: root.path + "/.") } catch {
      throw Failure("\(folder) cannot be read: \(FileProblem.words(of: error))")
    }
    let keys: [URLResourceKey] = [.isDirectoryKey, .isRegularFileKey, .isSymbolicLinkKey]
    guard
      let entries = FileManager.default.enumerator(
        at: root, includingPropertiesForKeys: keys, options: [], errorHandler: { _, _ in true })
    else { throw Failure("\(folder) cannot be read") }
    var files: [File] = []
    var seen = 0
    while let url = entries.nextObject() as? URL {
      seen += 1
      guard seen <= limits.entries, files.count < limits.files else {
        isComplete = false
        break
      }
      guard let values = try? url.resourceValues(forKeys: Set(keys)), values.isSymbolicLink != true else { continue }
      if values.isDirectory == true {
        if entries.level >= limits.depth { isComplete = false }
        if Self.isForeign(url.lastPathComponent) || entries.level >= limits.depth { entries.skipDescendants() }
      } else if values.isRegularFile == true, let kind = Self.kind(of: url.lastPathComponent) {
        let path = url.path.hasPrefix(root.path + "/") ? String(url.path.dropFirst(root.path.count + 1)) : url.path
        files.append(File(url: url, path: path, kind: kind))
      }
    }
    self.files = files.sorted { $0.path < $1.path }
  }

  private static func isForeign(_ name: String) -> Bool {
    name.hasPrefix(".") || foreign.contains(name.lowercased())
      || name.split(separator: ".").dropFirst().last.map { foreignEndings.contains($0.lowercased()) } == true
  }

  private static func kind(of name: String) -> Kind? {
    if let language = SourceLanguage.of(name) { return .source(language) }
    let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
    return configurations.contains(ending) || name == "network_security_config.xml" || name.hasPrefix(".env.")
      ? .configuration : nil
  }

  /// Reads the files and gives each to `body`.
  /// - Returns: How many bytes were read, and how many files were left out because they are binary, too large or unreadable.
  func read(
    tell: (_ done: Int) -> Void, _ body: (File, [UInt8]) -> Void
  ) -> (bytes: Int, leftOut: Int) {
    var (bytes, leftOut) = (0, 0)
    for (index, file) in files.enumerated() {
      tell(index)
      guard bytes < limits.totalBytes, let content = content(of: file.url) else {
        leftOut += 1
        continue
      }
      bytes += content.count
      body(file, content)
    }
    return (bytes, leftOut)
  }

  /// Nil for a file that is binary, too large or unreadable.
  private func content(of url: URL) -> [UInt8]? {
    guard let file = try? FileHandle(forReadingFrom: url) else { return nil }
    defer { try? file.close() }
    do {
      // Nil at the end, also of an empty file.
      let content = try file.read(upToCount: limits.fileBytes + 1) ?? Data()
      return content.count > limits.fileBytes || content.prefix(8192).contains(0) ? nil : Array(content)
    } catch {
      return nil
    }
  }
}
