import MadangCore
import MadangServer
import OpenAPI

/// The files of `Pages`, by name.
enum PageFiles {
  /// The description of the calls of pages, below `/web`.
  static let description = PageSet(start: "openapi.json", ["openapi.json": OpenAPIDocuments.web])

  /// The chat for browsers, with the look of an installation.
  static func chat(_ face: Face) -> PageSet {
    var set = chat
    if face.accent != nil { set = set.replacing("look.css", by: Array(Look.css(face).utf8)) }
    if let language = face.language?.rawValue {
      let page = String(decoding: PackageResources.chat_html, as: UTF8.self)
      let marked = page.replacing(
        #"<html lang="en">"#, with: #"<html lang="\#(language)" data-language="\#(language)">"#)
      set = set.replacing("chat.html", by: Array(marked.utf8))
    }
    return set
  }

  private static let chat = PageSet(start: "chat.html", shared.merging(ofChat) { first, _ in first })

  /// The console for people who test clients.
  static let console = PageSet(start: "console.html", shared.merging(ofConsole) { first, _ in first })

  /// The administrator's console, with the look of an installation.
  static func admin(_ face: Face) -> PageSet {
    face.accent == nil ? admin : admin.replacing("look.css", by: Array(Look.css(face).utf8))
  }

  private static let admin = PageSet(
    start: "admin.html",
    shared.filter { ["look.css", "elements.js", "form.js", "dialogs.js", "steady.js", "words.js"].contains($0.key) }
      .merging(["qr.js": PackageResources.qr_js]) { first, _ in first }.merging(ofAdmin) { first, _ in first })

  /// What all families of pages use.
  private static let shared: [String: [UInt8]] = [
    "look.css": Array(Look.css(Face()).utf8),
    "elements.js": PackageResources.elements_js,
    "form.js": PackageResources.form_js,
    "dialogs.js": PackageResources.dialogs_js,
    "steady.js": PackageResources.steady_js,
    "words.js": PackageResources.words_js,
    "text.en.js": PackageResources.text_en_js,
    "text.ko.js": PackageResources.text_ko_js,
    "socketio.js": PackageResources.socketio_js,
    "icon.svg": PackageResources.icon_svg,
    "icon-maskable.svg": PackageResources.icon_maskable_svg,
    "icon-180.png": PackageResources.icon_180_png,
    "persimmon.svg": PackageResources.persimmon_svg,
  ]

  private static let ofChat: [String: [UInt8]] = [
    "chat-calls.js": PackageResources.chat_calls_js,
    "chat-channels.js": PackageResources.chat_channels_js,
    "chat-compose.js": PackageResources.chat_compose_js,
    "chat-files.js": PackageResources.chat_files_js,
    "chat-find.js": PackageResources.chat_find_js,
    "chat-history.js": PackageResources.chat_history_js,
    "chat-kept.js": PackageResources.chat_kept_js,
    "chat-keys-sheet.js": PackageResources.chat_keys_sheet_js,
    "chat-keys.js": PackageResources.chat_keys_js,
    "chat-later.js": PackageResources.chat_later_js,
    "chat-links.js": PackageResources.chat_links_js,
    "chat-list.js": PackageResources.chat_list_js,
    "chat-live.js": PackageResources.chat_live_js,
    "chat-marks.js": PackageResources.chat_marks_js,
    "chat-notify.js": PackageResources.chat_notify_js,
    "chat-outbox.js": PackageResources.chat_outbox_js,
    "chat-people.js": PackageResources.chat_people_js,
    "chat-picture-field.js": PackageResources.chat_picture_field_js,
    "chat-pictures.js": PackageResources.chat_pictures_js,
    "chat-profile.js": PackageResources.chat_profile_js,
    "chat-room.js": PackageResources.chat_room_js,
    "chat-rounds.js": PackageResources.chat_rounds_js,
    "chat-route.js": PackageResources.chat_route_js,
    "chat-row.js": PackageResources.chat_row_js,
    "chat-signin.js": PackageResources.chat_signin_js,
    "chat-state.js": PackageResources.chat_state_js,
    "chat-stream.js": PackageResources.chat_stream_js,
    "chat-talk.js": PackageResources.chat_talk_js,
    "chat-trouble.js": PackageResources.chat_trouble_js,
    "chat-workspaces.js": PackageResources.chat_workspaces_js,
    "chat.css": PackageResources.chat_css,
    "chat.html": PackageResources.chat_html,
    "chat.js": PackageResources.chat_js,
    "manifest.webmanifest": PackageResources.manifest_webmanifest,
  ]

  private static let ofAdmin: [String: [UInt8]] = [
    "admin-alive.js": PackageResources.admin_alive_js,
    "admin-audit-words.js": PackageResources.admin_audit_words_js,
    "admin-calls.js": PackageResources.admin_calls_js,
    "admin-finding.js": PackageResources.admin_finding_js,
    "admin-frame.js": PackageResources.admin_frame_js,
    "admin-graph.js": PackageResources.admin_graph_js,
    "admin-icon.svg": PackageResources.admin_icon_svg,
    "admin-page-accounts.js": PackageResources.admin_page_accounts_js,
    "admin-page-administrators.js": PackageResources.admin_page_administrators_js,
    "admin-page-announcements.js": PackageResources.admin_page_announcements_js,
    "admin-page-audit.js": PackageResources.admin_page_audit_js,
    "admin-page-backups.js": PackageResources.admin_page_backups_js,
    "admin-page-files.js": PackageResources.admin_page_files_js,
    "admin-page-health.js": PackageResources.admin_page_health_js,
    "admin-page-invitations.js": PackageResources.admin_page_invitations_js,
    "admin-page-keys.js": PackageResources.admin_page_keys_js,
    "admin-page-mails.js": PackageResources.admin_page_mails_js,
    "admin-page-moderation.js": PackageResources.admin_page_moderation_js,
    "admin-page-overview.js": PackageResources.admin_page_overview_js,
    "admin-page-settings.js": PackageResources.admin_page_settings_js,
    "admin-page-workspaces.js": PackageResources.admin_page_workspaces_js,
    "admin-parts.js": PackageResources.admin_parts_js,
    "admin-password.js": PackageResources.admin_password_js,
    "admin-pick-workspace.js": PackageResources.admin_pick_workspace_js,
    "admin-refusals.js": PackageResources.admin_refusals_js,
    "admin-secondstep.js": PackageResources.admin_secondstep_js,
    "admin-several.js": PackageResources.admin_several_js,
    "admin-signin.js": PackageResources.admin_signin_js,
    "admin-split.js": PackageResources.admin_split_js,
    "admin-trouble.js": PackageResources.admin_trouble_js,
    "admin-words.js": PackageResources.admin_words_js,
    "admin.css": PackageResources.admin_css,
    "admin.html": PackageResources.admin_html,
    "admin.js": PackageResources.admin_js,
    "admin.text.en.js": PackageResources.admin_text_en_js,
    "admin.text.ko.js": PackageResources.admin_text_ko_js,
  ]

  private static let ofConsole: [String: [UInt8]] = [
    "console-api.js": PackageResources.console_api_js,
    "console-around.js": PackageResources.console_around_js,
    "console-besides.js": PackageResources.console_besides_js,
    "console-clock.js": PackageResources.console_clock_js,
    "console-contract.js": PackageResources.console_contract_js,
    "console-curl.js": PackageResources.console_curl_js,
    "console-dom.js": PackageResources.console_dom_js,
    "console-effects.js": PackageResources.console_effects_js,
    "console-figures.js": PackageResources.console_figures_js,
    "console-follow.js": PackageResources.console_follow_js,
    "console-following.js": PackageResources.console_following_js,
    "console-frame.js": PackageResources.console_frame_js,
    "console-icon.svg": PackageResources.console_icon_svg,
    "console-list.js": PackageResources.console_list_js,
    "console-live-note.js": PackageResources.console_live_note_js,
    "console-live.js": PackageResources.console_live_js,
    "console-looks.js": PackageResources.console_looks_js,
    "console-message.js": PackageResources.console_message_js,
    "console-opened.js": PackageResources.console_opened_js,
    "console-page-clock.js": PackageResources.console_page_clock_js,
    "console-page-coverage.js": PackageResources.console_page_coverage_js,
    "console-page-faults.js": PackageResources.console_page_faults_js,
    "console-page-payments.js": PackageResources.console_page_payments_js,
    "console-page-people.js": PackageResources.console_page_people_js,
    "console-page-phone.js": PackageResources.console_page_phone_js,
    "console-page-review.js": PackageResources.console_page_review_js,
    "console-page-scripts.js": PackageResources.console_page_scripts_js,
    "console-page-seeds.js": PackageResources.console_page_seeds_js,
    "console-page-sent.js": PackageResources.console_page_sent_js,
    "console-page-sockets.js": PackageResources.console_page_sockets_js,
    "console-page-tokens.js": PackageResources.console_page_tokens_js,
    "console-page-worlds.js": PackageResources.console_page_worlds_js,
    "console-pages.js": PackageResources.console_pages_js,
    "console-places.js": PackageResources.console_places_js,
    "console-query.js": PackageResources.console_query_js,
    "console-querybox.js": PackageResources.console_querybox_js,
    "console-row.js": PackageResources.console_row_js,
    "console-rows.js": PackageResources.console_rows_js,
    "console-seeds.js": PackageResources.console_seeds_js,
    "console-store.js": PackageResources.console_store_js,
    "console-test-facts.js": PackageResources.console_test_facts_js,
    "console-test-junit.js": PackageResources.console_test_junit_js,
    "console-test-pytest.js": PackageResources.console_test_pytest_js,
    "console-test-swift.js": PackageResources.console_test_swift_js,
    "console-test-world.js": PackageResources.console_test_world_js,
    "console-testdialog.js": PackageResources.console_testdialog_js,
    "console-why.js": PackageResources.console_why_js,
    "console-written.js": PackageResources.console_written_js,
    "console.css": PackageResources.console_css,
    "console.html": PackageResources.console_html,
    "console.js": PackageResources.console_js,
    "console.text.en.js": PackageResources.console_text_en_js,
    "console.text.ko.js": PackageResources.console_text_ko_js,
    "contract.md": PackageResources.contract_md,
    "qr.js": PackageResources.qr_js,
  ]
}
