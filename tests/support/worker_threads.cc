#include "tests/support/worker_threads.h"

#include <utility>

namespace retrykit {

WorkerThreads::WorkerThreads(int count) {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Work(); });
}

WorkerThreads::~WorkerThreads() {
  Drain();
  {
    MutexLock lock(mu_);
    ending_ = true;
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void WorkerThreads::Run(std::function<void()> task) {
  MutexLock lock(mu_);
  tasks_.push_back(std::move(task));
  changed_.NotifyAll();
}

void WorkerThreads::Drain() {
  MutexLock lock(mu_);
  while (busy_ > 0 || !tasks_.empty()) changed_.Wait(mu_);
}

void WorkerThreads::Work() {
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(mu_);
      while (tasks_.empty() && !ending_) changed_.Wait(mu_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
      ++busy_;
    }
    task();
    task =
        nullptr;  // What it kept alive may die here, before it counts as done.
    MutexLock lock(mu_);
    --busy_;
    changed_.NotifyAll();
  }
}

}  // namespace retrykit
