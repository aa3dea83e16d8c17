/// The edition with UUID ids: its objects and endpoints, by feature.
///
/// See docs/reference/wire-contract.md#endpoints and #objects. A nullable key is always written, as `null` (``WireEncoder``).
public enum Edition2024_10 {}
