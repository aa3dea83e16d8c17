import Dispatch
import Foundation
import MadangAPI
import UnixSignals

/// A conversation on the terminal, from the first drawing until somebody leaves.
struct ChatSession {
  let conversation: Conversation

  private enum Event: Sendable {
    case typed([UInt8])
    /// The terminal is gone.
    case hungUp
    case signal(UnixSignal)
    case news(Conversation.News)
  }

  /// The status to exit with.
  func run() async throws -> Int32 {
    // Unbounded, but short: it is fed by one person's keys and by chats as they are posted.
    let (events, feed) = AsyncStream.makeStream(of: Event.self)
    let (outgoing, post) = AsyncStream.makeStream(of: Conversation.Outgoing.self)
    let terminal = try FullScreen()
    defer { terminal.leave() }
    let keyboard = Self.keyboard(feed)
    defer { keyboard.cancel() }
    return try await withThrowingTaskGroup(of: Void.self) { [conversation] group in
      group.addTask {
        for await signal in await UnixSignalsSequence(trapping: .sigwinch, .sigterm, .sighup, .sigint) {
          feed.yield(.signal(signal))
        }
      }
      group.addTask { await conversation.follow { feed.yield(.news($0)) } }
      group.addTask { await conversation.countOthers { feed.yield(.news($0)) } }
      group.addTask { await conversation.send(outgoing) { feed.yield(.news($0)) } }
      defer { group.cancelAll() }
      var state = State(title: "\(conversation.named.name) in \(conversation.workspace.name)", post: post)
      var keys = KeyReader()
      try state.draw(on: terminal)
      for await event in events {
        switch event {
        case .typed(let bytes):
          for key in keys.keys(in: bytes) {
            if key == .redraw { terminal.forget() }
            if state.press(key) { return 0 }
          }
        case .hungUp, .signal(.sighup): return 128 + SIGHUP
        case .signal(.sigterm): return 128 + SIGTERM
        case .signal(.sigint): return 0
        case .signal: break
        case .news(.allSent): return 0
        case .news(.ended(let error)): throw error
        case .news(let news): state.take(news)
        }
        try state.draw(on: terminal)
      }
      return 0
    }
  }

  private static func keyboard(_ feed: AsyncStream<Event>.Continuation) -> any DispatchSourceRead {
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: DispatchQueue(label: "keyboard"))
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { return }
      feed.yield(count > 0 ? .typed(Array(buffer[..<count])) : .hungUp)
    }
    source.resume()
    return source
  }
}

extension ChatSession {
  /// The screen, and what keys and news do to it.
  private struct State {
    private var screen: ChatScreen
    private let post: AsyncStream<Conversation.Outgoing>.Continuation

    init(title: String, post: AsyncStream<Conversation.Outgoing>.Continuation) {
      screen = ChatScreen(title: title, hasColour: Terminal.hasColour)
      self.post = post
    }

    mutating func draw(on terminal: FullScreen) throws {
      let size = FullScreen.size
      try terminal.draw(screen.frame(size), size)
    }

    /// Whether to leave at once.
    mutating func press(_ key: Key) -> Bool {
      if screen.line.press(key) { return false }
      let page = ChatScreen.chatRows(FullScreen.size) - 1
      switch key {
      case .interrupt: return true
      case .endOfInput: if screen.line.text.isEmpty { leave() }
      case .up: screen.scroll(rows: 1)
      case .down: screen.scroll(rows: -1)
      case .pageUp: screen.scroll(rows: max(1, page))
      case .pageDown: screen.scroll(rows: -max(1, page))
      case .enter: enter()
      default: break
      }
      return false
    }

    private mutating func enter() {
      screen.notice = ""
      switch TypedLine(screen.line.take(), home: NSHomeDirectory()) {
      case .nothing: break
      case .say(let text): post.yield(.text(text))
      case .file(let path): post.yield(.file(path: path))
      case .help: screen.notice = TypedLine.advice
      case .quit: leave()
      case .unknown(let word): screen.notice = "there is no /\(word); /help tells what there is"
      }
      screen.scrollToEnd()
    }

    /// Leaves once everything is sent.
    private mutating func leave() {
      screen.notice = "leaving; Ctrl-C leaves at once"
      post.finish()
    }

    mutating func take(_ news: Conversation.News) {
      switch news {
      case .caughtUp(let chats):
        screen.add(chats)
        screen.connection = "live"
      case .chat(let chat): screen.add([chat])
      case .interrupted(let reason): screen.connection = "connecting again (\(reason))"
      case .unread(let counts): screen.unread = counts
      case .sending(let notice): screen.notice = notice
      case .sent: screen.notice = ""
      case .notSent(let text, let reason):
        screen.notice = reason
        if screen.line.text.isEmpty { screen.line = LineEditor(text) }
      case .allSent, .ended: break
      }
    }
  }
}
