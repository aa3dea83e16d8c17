extension String {
  /// Whether it contains NUL. PostgreSQL cannot store it, so ``SQL/refuseNUL()`` refuses it for both engines.
  package var hasNUL: Bool {
    var copy = self
    return copy.withUTF8 { $0.contains(0) }
  }
}
