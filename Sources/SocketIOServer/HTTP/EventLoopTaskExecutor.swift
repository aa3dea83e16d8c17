import NIOCore

/// Runs tasks on an event loop, so that they switch no thread between the loop and its channels.
final class EventLoopTaskExecutor: TaskExecutor {
  private let loop: any EventLoop
  private let share: NIOLoopBound<ConnectionShare>

  /// - Parameter share: The share of the loop's time that the tasks count against.
  init(_ loop: any EventLoop, share: NIOLoopBound<ConnectionShare>) {
    self.loop = loop
    self.share = share
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute {
      if let share = self.share.value.share {
        share.spend { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
      } else {
        job.runSynchronously(on: self.asUnownedTaskExecutor())
      }
    }
  }
}
