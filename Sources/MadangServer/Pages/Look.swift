import MadangCore

/// The look of all pages of an installation.
package enum Look {
  /// `look.css`, with the colour of the installation.
  package static func css(_ face: Face) -> String {
    String(decoding: PackageResources.look_css, as: UTF8.self) + (face.accent?.css ?? "")
  }
}
