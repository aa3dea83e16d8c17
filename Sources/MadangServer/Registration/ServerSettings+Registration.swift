import Foundation
import MadangCore

extension ServerSettings {
  /// Who may make an account, unless an API key says otherwise.
  public var registration: RegistrationMode {
    get { RegistrationMode(domain.registration) }
    set { domain.registration = newValue.registration }
  }

  /// Domains of the addresses that may make accounts where registration is by domain, in lower case.
  public var registrationDomains: Set<String> {
    get { domain.registrationDomains }
    set { domain.registrationDomains = newValue }
  }

  /// What is wrong with these settings, each with a cure.
  func registrationProblems() -> [String] {
    var problems: [String] = []
    if registration == .domain && registrationDomains.isEmpty {
      problems.append(
        "registration.domains: registration is 'domain', but there is none; write domains like example.com,example.org")
    }
    if !publicURL.isEmpty, publicURL.hasSuffix("/") || URL(string: publicURL)?.host() == nil {
      problems.append("public.url: '\(publicURL)' must be like https://chat.example.com, without a slash at the end")
    }
    return problems
  }
}
