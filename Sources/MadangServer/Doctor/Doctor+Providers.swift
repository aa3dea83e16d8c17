import Foundation

extension Doctor {
  /// Which of the providers that settings name cannot be reached. Any answer will do: nobody is signed in, and nothing is told.
  func providerFindings(_ settings: ServerSettings) async -> [DoctorFinding] {
    let providers = settings.providers
    // Settings that are wrong have their findings already.
    guard settings.problems().isEmpty, let authorities = try? providers.authorities() else { return [] }
    let calls = ProviderCalls(
      timeout: options.patience, over: ProviderConnections(authorities: authorities, isShared: true))
    return await withTaskGroup(of: DoctorFinding?.self) { group in
      for (key, url, isUsed) in providers.addresses where isUsed {
        group.addTask {
          do {
            _ = try await calls.get(url)
            return nil
          } catch {
            return DoctorFinding(
              .providers, .error, "\(key): \(url) does not answer: \(error)",
              cure:
                "check the URL, the name server, and that the firewall lets the server out; for a proxy that looks into TLS, "
                + "providers.ca (docs/providers.md)")
          }
        }
      }
      return await group.reduce(into: []) { if let finding = $1 { $0.append(finding) } }
        .sorted { $0.message < $1.message }
    }
  }
}
