// SPDX-License-Identifier: Apache-2.0
// Measures how long a change of an instance takes to reach the watchers of the registry. divisid and the watchers are
// the real programs. The instance sends its changes over a connection like that of a real instance.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QFile>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "backend/control/protocol/instance_messages.h"
#include "backend/control/protocol/node_messages.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/control/state/incarnation.h"
#include "backend/control/types/service_types.h"
#include "backend/link/connection_file.h"
#include "backend/link/control_client.h"
#include "backend/link/event_loop.h"
#include "backend/link/zmq_transport.h"
#include "tests/bench/mesh/benches.h"
#include "tests/bench/mesh/relaying.h"
#include "tests/system/programs.h"

namespace divisi::bench {
namespace {

using namespace control;
using std::chrono::milliseconds, std::chrono::seconds, std::chrono::steady_clock;
using Moment = steady_clock::time_point;

constexpr int watchers = 4;
constexpr Duration deadline = seconds(20);

/// `divisictl services --watch` in a separate process, with the time at which it printed each revision.
class Watcher {
public:
    explicit Watcher(const QString& connection) {
        int ends[2];
        if (::pipe(ends) != 0) give_up("no pipe");
        const std::string program = tests::Programs::program("divisictl").toStdString(),
                          file = connection.toStdString();
        pid_ = ::fork();
        if (pid_ < 0) give_up("no process");
        if (pid_ == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::close(ends[1]);
            ::execl(program.c_str(), program.c_str(), "services", "--watch", "--json", "--connect", file.c_str(),
                    static_cast<char*>(nullptr));
            ::_exit(127);
        }
        ::close(ends[1]);
        thread_ = std::thread([this, in = ::fdopen(ends[0], "r")] { read(in); });
    }
    ~Watcher() {
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
        thread_.join();
    }
    std::map<std::uint64_t, Moment> seen() {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

private:
    void read(std::FILE* in) {
        char line[4096];
        while (std::fgets(line, sizeof line, in)) {
            const Moment now = steady_clock::now();
            const char* const at = std::strstr(line, "\"revision\":");
            if (!at) continue;
            const std::lock_guard lock(mutex_);
            seen_[std::strtoull(at + 11, nullptr, 10)] = now;
        }
        std::fclose(in);
    }

    pid_t pid_ = -1;
    std::mutex mutex_;
    std::map<std::uint64_t, Moment> seen_;
    std::thread thread_;
};

/// A task's only instance and its node, both connections of this process.
class Instance {
public:
    explicit Instance(const link::Connection& connection)
        : transport_(context_, loop_, std::nullopt), connection_(connection) {
        NodeInfo info;
        info.id = NodeId("mic-1/node-1");
        info.mic = MicId("mic-1");
        info.host = "bench";
        info.devices = {{"cpu", "cpu", 1, Bytes{1} << 30}};
        node_ = connect(Role::agent, [this](const Message& message) {
            if (const auto* start = get_if<StartInstance>(&message)) asked_ = *start;
        });
        (void)ask(*node_, RegisterNode{info});
        client_ = connect(Role::operate, [](const Message&) {});
    }

    /// Submits the task and waits until the instance is registered at the orchestrator.
    void start(const std::string& task) {
        (void)ask(*client_, SubmitTask{task, "/", "", {}, "bench"});
        wait([this] { return asked_.has_value(); });
        self_ =
            connect(Role::agent, [this](const Message& message) { deployed_ |= holds_alternative<Deploy>(message); });
        RegisterInstance registration;
        registration.instance = asked_->instance;
        registration.sid = asked_->sid;
        registration.data_endpoint = "ipc:///nowhere";
        self_->request(registration, deadline, [this](const Result<Message>& reply) { deployed_ |= reply.ok(); });
        wait([this] { return deployed_; });
    }
    /// Makes one change, waits for the orchestrator's answer and returns the revision.
    std::uint64_t change(bool draining) {
        mesh::Registration said;
        said.sid = asked_->sid;
        said.prefix = asked_->sid.value().substr(0, asked_->sid.value().rfind('/'));
        said.incarnation = incarnation_of(asked_->instance);
        said.task = asked_->task;
        said.health = draining ? mesh::Health::draining : mesh::Health::active;
        const auto answer = get<ServiceRegistered>(ask(*self_, RegisterService{said}));
        return answer.revision;
    }

private:
    using Client = std::unique_ptr<link::ControlClient>;
    Client connect(Role role, std::function<void(const Message&)> take) {
        auto client = std::make_unique<link::ControlClient>(loop_, transport_, connection_, Hello{"bench", "1", role});
        client->start(
            [this](const link::ControlClient::State& state) {
                connected_ |= state.kind == link::ControlClient::State::Kind::connected;
            },
            [take = std::move(take)](std::uint64_t, const Message& message) { take(message); });
        wait([this] { return connected_; });
        connected_ = false;
        return client;
    }
    Message ask(link::ControlClient& client, const Message& question) {
        std::optional<Result<Message>> answer;
        client.request(question, deadline, [&](Result<Message> reply) {
            answer = std::move(reply);
            loop_.stop();
        });
        while (!answer) loop_.run();
        if (!*answer) give_up(answer->error().message());
        return **std::move(answer);
    }
    void wait(const std::function<bool()>& done) {
        const auto look = loop_.every(milliseconds(5), [&] {
            if (done()) loop_.stop();
        });
        const auto late = loop_.after(deadline, [] { give_up("the cluster does not answer"); });
        while (!done()) loop_.run();
        loop_.cancel(look);
        loop_.cancel(late);
    }

    link::EventLoop loop_;
    link::Context context_;
    link::ZmqTransport transport_;
    link::Connection connection_;
    bool connected_ = false, deployed_ = false;
    std::optional<StartInstance> asked_;
    Client node_, client_, self_;
};

double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void print(const char* what, const std::vector<double>& ms) {
    std::printf("%-46s %8.3f %8.3f %8.3f\n", what, quantile(ms, 0.5), quantile(ms, 0.99), quantile(ms, 1));
}

}  // namespace

int watch_bench(const Arguments& arguments) {
    const int changes = arguments.empty() ? 1000 : std::max(10, std::atoi(arguments.front()));
    constexpr double limit_ms = 10;
    const tests::Programs programs;
    QProcess divisid;
    divisid.start(tests::Programs::program("divisid"),
                  {"--data", programs.data(), "--listen", "ipc://" + programs.folder() + "/control.sock"});
    const QString file = programs.data() + "/connection.toml";
    for (int i = 0; i < 200 && !QFile::exists(file); ++i) divisid.waitForReadyRead(50);
    const auto connection = link::read_connection(file.toStdString());
    if (!connection) give_up("divisid does not start");
    std::vector<double> answered, seen;
    {
        Instance instance(*connection);
        QFile task(programs.small_task("watch", 1'000'000));
        if (!task.open(QIODevice::ReadOnly)) give_up("no task file");
        instance.start(task.readAll().replace("stages = 2", "stages = 1").toStdString());
        std::vector<std::unique_ptr<Watcher>> all;
        for (int i = 0; i < watchers; ++i) all.push_back(std::make_unique<Watcher>(file));
        std::this_thread::sleep_for(seconds(1));
        std::map<std::uint64_t, Moment> said;
        for (int i = 0; i < changes; ++i) {
            const Moment before = steady_clock::now();
            const std::uint64_t revision = instance.change(i % 2 == 0);
            answered.push_back(std::chrono::duration<double, std::milli>(steady_clock::now() - before).count());
            said[revision] = before;
            std::this_thread::sleep_for(milliseconds(3 + i % 7));
        }
        std::this_thread::sleep_for(milliseconds(500));
        for (const auto& watcher : all) {
            const auto got = watcher->seen();
            for (const auto& [revision, before] : said)
                if (const auto at = got.find(revision); at != got.end())
                    seen.push_back(std::chrono::duration<double, std::milli>(at->second - before).count());
        }
        if (seen.size() < said.size() * watchers * 99 / 100)
            give_up("watchers saw " + std::to_string(seen.size()) + " of " + std::to_string(said.size() * watchers));
    }
    divisid.terminate();
    divisid.waitForFinished();
    std::printf("%d changes of an instance, %d watching processes; ms: median, 99th percentile, longest\n", changes,
                watchers);
    print("until the orchestrator's answer arrives", answered);
    print("until a watcher has printed it", seen);
    const double p99 = quantile(seen, 0.99);
    std::printf("the 99th percentile is %.1f times that of an answer (wanted: %.0f ms at most)\n",
                p99 / quantile(answered, 0.99), limit_ms);
    return p99 <= limit_ms ? 0 : 1;
}

}  // namespace divisi::bench
