#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "services/http/listen_socket.h"
#include "services/http/task_queue.h"

struct pollfd;

namespace regressd::http {

/// What goes back for one request.
struct Reply {
  std::string bytes;
  bool close = false;  ///< The connection, once it is sent.
};

/// The connections of one listening socket. One thread waits for all of them, and a worker hears of
/// a request only when the whole of it is there and answers it in memory: a client that is slow or
/// silent costs a descriptor for a while, and never a worker. When there are too many, the one that
/// has kept us waiting longest makes room.
class Connections {
 public:
  /// Answers a whole request (request_extent.h); `is_last` says that the reply must close. Called
  /// from several threads at once.
  using Answer = std::function<Reply(const std::string& request, const std::string& peer_address,
                                     bool is_last)>;

  /// Serves in threads of its own from now on.
  Connections(ListenSocket socket, Answer answer);
  /// Finishes requests that are being answered, and closes the others.
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  int port() const { return socket_.port(); }

 private:
  using Clock = std::chrono::steady_clock;
  enum class State {
    kReading,    ///< For the rest of a request.
    kAnswering,  ///< A worker has it.
    kWriting,    ///< Its reply.
    kLingering,  ///< Reads what nobody wants, lest the client lose the reply to a reset.
  };
  struct Connection {
    int fd = -1;
    std::string peer_address;
    State state = State::kReading;
    Clock::time_point deadline;
    std::string received;
    std::string reply;
    std::size_t sent_bytes = 0;
    bool close = false;
  };
  struct Finished {
    std::uint64_t id = 0;
    Reply reply;
  };
  using Place = std::map<std::uint64_t, Connection>::iterator;

  // All but Finish and Wake are the loop's.
  void Loop();
  bool Poll(std::vector<pollfd>* events, std::vector<std::uint64_t>* ids);
  void Accept();
  bool MakeRoom();
  void TakeReplies();
  void Handle(Place place);
  void Read(Place place);
  void Dispatch(Place place);
  void Write(Place place);
  void AfterReply(Place place);
  void Linger(Place place);
  void CloseOverdue();
  void Close(Place place);
  void Finish(std::uint64_t id, Reply reply);
  void Wake();

  const ListenSocket socket_;
  const Answer answer_;
  int wake_fd_;
  std::map<std::uint64_t, Connection> connections_;  ///< The loop's.
  std::uint64_t last_id_ = 0;
  bool is_draining_ = false;  ///< The loop's copy of stopping_.

  std::mutex mutex_;
  std::vector<Finished> finished_;  ///< Guarded by mutex_.
  bool stopping_ = false;           ///< Guarded by mutex_.

  TaskQueue workers_;
  std::thread loop_;  ///< Last: it uses the others.
};

}  // namespace regressd::http
