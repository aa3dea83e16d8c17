extension Edition2024_10 {
  public static let file = Endpoint<FileBytes>(.get, "/v1/static/{folder}/{name}", .token)
}
