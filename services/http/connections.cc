#include "services/http/connections.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "services/http/request_extent.h"

namespace regressd::http {
namespace {

constexpr std::size_t kThreads = 8;
// Below the 1024 descriptors that a process has by default, with room for gRPC and PostgreSQL.
constexpr std::size_t kMaxConnections = 512;
constexpr std::chrono::seconds kReadTime{10};   // For a whole request, and between two.
constexpr std::chrono::seconds kWriteTime{15};  // From one taken byte to the next.
constexpr std::chrono::seconds kLingerTime{2};
constexpr std::chrono::milliseconds kAcceptPause{100};

std::string AddressOf(const sockaddr_storage& peer, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&peer), size, host.data(), host.size(), nullptr,
                  0, NI_NUMERICHOST) != 0) {
    return "";
  }
  return host.data();
}

bool MayRetry() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connections::Connections(ListenSocket socket, Answer answer)
    : socket_(std::move(socket)),
      answer_(std::move(answer)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      // Each connection has one request under way at most, so the loop never waits for the queue.
      workers_(kThreads, kMaxConnections),
      loop_([this] {
        pthread_setname_np(pthread_self(), "http-loop");
        Loop();
      }) {}

Connections::~Connections() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  Wake();
  loop_.join();
  workers_.Shutdown();
  close(wake_fd_);
}

void Connections::Wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_fd_, &one, sizeof one);
}

void Connections::Finish(std::uint64_t id, Reply reply) {
  {
    const std::lock_guard lock(mutex_);
    finished_.push_back({id, std::move(reply)});
  }
  Wake();
}

void Connections::Loop() {
  std::vector<pollfd> events;
  std::vector<std::uint64_t> ids;
  while (!is_draining_ || !connections_.empty()) {
    const bool may_accept = Poll(&events, &ids);
    TakeReplies();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Place place = connections_.find(ids[i]);
      if (events[i].revents != 0 && place != connections_.end()) Handle(place);
    }
    CloseOverdue();
    if (may_accept) Accept();
  }
}

// Waits until something can be done; whether somebody knocks.
bool Connections::Poll(std::vector<pollfd>* events, std::vector<std::uint64_t>* ids) {
  events->clear();
  ids->clear();
  std::optional<Clock::time_point> first_deadline;
  for (const auto& [id, connection] : connections_) {
    if (connection.state == State::kAnswering) continue;
    const short wanted = connection.state == State::kWriting ? POLLOUT : POLLIN;
    events->push_back({connection.fd, wanted, 0});
    ids->push_back(id);
    first_deadline = std::min(first_deadline.value_or(connection.deadline), connection.deadline);
  }
  events->push_back({wake_fd_, POLLIN, 0});
  events->push_back({is_draining_ ? -1 : socket_.fd(), POLLIN, 0});
  int timeout_ms = -1;
  if (first_deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*first_deadline - Clock::now());
    timeout_ms = static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }
  poll(events->data(), events->size(), timeout_ms);
  return events->back().revents != 0;
}

void Connections::Accept() {
  while (true) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    const int fd = accept4(socket_.fd(), reinterpret_cast<sockaddr*>(&peer), &size,
                           SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno != EMFILE && errno != ENFILE) return;
      if (MakeRoom()) continue;
      // Who knocks keeps knocking: without a pause the loop would spin.
      std::this_thread::sleep_for(kAcceptPause);
      return;
    }
    if (connections_.size() == kMaxConnections && !MakeRoom()) {
      close(fd);
      continue;
    }
    const int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    Connection& connection = connections_[++last_id_];
    connection.fd = fd;
    connection.peer_address = AddressOf(peer, size);
    connection.deadline = Clock::now() + kReadTime;
  }
}

// False when workers have all of them.
bool Connections::MakeRoom() {
  Place longest = connections_.end();
  for (Place place = connections_.begin(); place != connections_.end(); ++place) {
    if (place->second.state == State::kAnswering) continue;
    if (longest == connections_.end() || place->second.deadline < longest->second.deadline) {
      longest = place;
    }
  }
  if (longest == connections_.end()) return false;
  Close(longest);
  return true;
}

void Connections::TakeReplies() {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(wake_fd_, &count, sizeof count);
  std::vector<Finished> finished;
  {
    const std::lock_guard lock(mutex_);
    finished.swap(finished_);
    is_draining_ = stopping_;
  }
  for (Finished& one : finished) {
    const Place place = connections_.find(one.id);  // It is there: nobody closes it meanwhile.
    Connection& connection = place->second;
    connection.reply = std::move(one.reply.bytes);
    connection.sent_bytes = 0;
    connection.close = one.reply.close;
    connection.state = State::kWriting;
    connection.deadline = Clock::now() + kWriteTime;
    Write(place);
  }
  if (!is_draining_) return;
  for (Place place = connections_.begin(); place != connections_.end();) {
    const Place idle = place++;
    const State state = idle->second.state;
    if (state == State::kReading || state == State::kLingering) Close(idle);
  }
}

void Connections::Handle(Place place) {
  switch (place->second.state) {
    case State::kReading:
      return Read(place);
    case State::kWriting:
      return Write(place);
    case State::kLingering:
      return Linger(place);
    case State::kAnswering:
      return;
  }
}

void Connections::Read(Place place) {
  Connection& connection = place->second;
  std::array<char, 16 << 10> buffer;
  const ssize_t count = recv(connection.fd, buffer.data(), buffer.size(), 0);
  if (count < 0 && MayRetry()) return;
  if (count <= 0) return Close(place);
  connection.received.append(buffer.data(), static_cast<std::size_t>(count));
  Dispatch(place);
}

// Gives the next request to a worker, if the whole of it is there.
void Connections::Dispatch(Place place) {
  Connection& connection = place->second;
  const std::optional<RequestExtent> extent = FindRequest(connection.received);
  if (!extent) return;
  std::string request = connection.received.substr(0, extent->size_bytes);
  connection.received.erase(0, extent->size_bytes);
  connection.state = State::kAnswering;
  workers_.Enqueue([this, id = place->first, request = std::move(request),
                    peer = connection.peer_address,
                    is_last = extent->is_last] { Finish(id, answer_(request, peer, is_last)); });
}

void Connections::Write(Place place) {
  Connection& connection = place->second;
  while (connection.sent_bytes < connection.reply.size()) {
    const ssize_t count = send(connection.fd, connection.reply.data() + connection.sent_bytes,
                               connection.reply.size() - connection.sent_bytes, MSG_NOSIGNAL);
    if (count < 0 && MayRetry()) return;
    if (count <= 0) return Close(place);
    connection.sent_bytes += static_cast<std::size_t>(count);
    connection.deadline = Clock::now() + kWriteTime;
  }
  AfterReply(place);
}

void Connections::AfterReply(Place place) {
  Connection& connection = place->second;
  connection.reply.clear();
  if (is_draining_) return Close(place);
  if (connection.close) {
    shutdown(connection.fd, SHUT_WR);
    connection.received.clear();
    connection.state = State::kLingering;
    connection.deadline = Clock::now() + kLingerTime;
    return;
  }
  connection.state = State::kReading;
  connection.deadline = Clock::now() + kReadTime;
  Dispatch(place);  // The next may be here already.
}

void Connections::Linger(Place place) {
  std::array<char, 16 << 10> buffer;
  const ssize_t count = recv(place->second.fd, buffer.data(), buffer.size(), 0);
  if (count == 0 || (count < 0 && !MayRetry())) Close(place);
}

void Connections::CloseOverdue() {
  const auto now = Clock::now();
  for (Place place = connections_.begin(); place != connections_.end();) {
    const Place current = place++;
    const Connection& connection = current->second;
    if (connection.state != State::kAnswering && connection.deadline <= now) Close(current);
  }
}

void Connections::Close(Place place) {
  close(place->second.fd);
  connections_.erase(place);
}

}  // namespace regressd::http
