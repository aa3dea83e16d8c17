import MadangAPI
import MadangCore
import MadangOperations
import MadangServer

/// Settings, the doctor, read-only mode and test mails.
enum HealthCalls {
  private struct Settings: Encodable {
    let settings: [ListedSetting]
  }

  private struct Report: Encodable {
    /// Null before the first examination.
    let at: String?
    let findings: [DoctorFinding]

    init(_ result: DoctorRuns.Result?) {
      at = result.map { WireDate.string($0.at) }
      findings = result?.findings ?? []
    }
  }

  private struct Mode: Decodable {
    let isOn: Bool
    let reason: String?
  }

  private struct Recipient: Decodable {
    let to: String
  }

  static func add(to routes: inout AdminRoutes) {
    routes.on(.get, "settings") { call in Settings(settings: try call.parts.settings) }
    routes.on(.get, "doctor") { call in Report(try call.parts.doctor.latest) }
    routes.on(.post, "doctor") { call in
      _ = try call.body(Empty.self)
      return Report(try await call.parts.doctor.examineAfterChange())
    }
    routes.on(.post, "read-only") { call in
      let mode = try call.body(Mode.self)
      let administration = try call.administration
      let changed =
        mode.isOn
        ? try await administration.beginReadOnlyMode(reason: mode.reason ?? "")
        : try await administration.endReadOnlyMode()
      call.received.noteReadOnly(changed.isOn)
      // The mode is a finding. If the examination fails, the next one shows it.
      _ = try? await call.parts.doctor.examineAfterChange()
      return changed
    }
    routes.on(.post, "mails/test") { call in
      _ = try await call.administration.sendTestMail(to: try call.body(Recipient.self).to)
      return Empty()
    }
  }
}
