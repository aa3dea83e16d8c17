import Foundation

/// Writes all bytes. If it returns false, `errno` has the cause.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { return false }
    rest = rest.dropFirst(count)
  }
  return true
}
