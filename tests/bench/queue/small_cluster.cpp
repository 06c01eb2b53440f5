// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/queue/small_cluster.h"

#include <QFile>
#include <QThread>
#include <cstdio>
#include <cstdlib>

#include "backend/control/protocol/state_messages.h"
#include "backend/control/protocol/task_messages.h"
#include "backend/link/connection_file.h"
#include "tests/system/http_get.h"

namespace divisi::bench {
namespace {

constexpr double patience_s = 30;

}  // namespace

SmallCluster::~SmallCluster() {
    client_.reset();
    for (auto process = processes_.rbegin(); process != processes_.rend(); ++process) {
        (*process)->terminate();
        if (!(*process)->waitForFinished(10'000)) (*process)->kill();
    }
}

bool SmallCluster::launch(const QString& program, const QStringList& arguments) {
    auto process = std::make_unique<QProcess>();
    process->setProcessChannelMode(QProcess::MergedChannels);
    process->start(programs_ + "/" + program, arguments);
    const bool started = process->waitForStarted();
    if (!started) std::fprintf(stderr, "%s does not start\n", qPrintable(programs_ + "/" + program));
    processes_.push_back(std::move(process));
    return started;
}

bool SmallCluster::start() {
    const QString data = folder_.filePath("data"), file = data + "/connection.toml";
    const QStringList listen{"--data", data, "--listen", "ipc://" + folder_.filePath("control.sock")};
    for (const bool metrics : {true, false}) {
        if (!launch("divisid", metrics ? listen + QStringList{"--metrics", "127.0.0.1:0"} : listen)) return false;
        QProcess& divisid = *processes_.back();
        for (int i = 0; i < 300 && !QFile::exists(file) && divisid.state() != QProcess::NotRunning; ++i)
            divisid.waitForReadyRead(50);
        if (QFile::exists(file)) break;
        processes_.pop_back();  // a build without metrics refuses the option
    }
    if (processes_.empty()) return false;
    processes_.back()->waitForReadyRead(1000);
    const QString said = processes_.back()->readAll();
    if (const qsizetype at = said.indexOf("http://127.0.0.1:"); at >= 0)
        metrics_ = said.mid(at + 17).section('/', 0, 0).toStdString();
    for (const char* name : {"m/a", "m/b"})
        if (!launch("divisi-node", {"--connect", file, "--name", name, "--data",
                                    folder_.filePath(QString(name).replace('/', '-')), "--runtime", folder_.path()}))
            return false;
    if (connect()) return true;
    std::fprintf(stderr, "the cluster does not start\n");
    return false;
}

bool SmallCluster::connect() {
    const auto connection = link::read_connection((folder_.filePath("data") + "/connection.toml").toStdString());
    if (!connection) return false;
    transport_ = std::make_unique<link::ZmqTransport>(context_, loop_, std::nullopt);
    client_ = std::make_unique<link::ControlClient>(loop_, *transport_, *connection,
                                                    control::Hello{"bench", "1", control::Role::operate, ""});
    const auto count = [this](const control::Event& event) {
        if (holds_alternative<control::NodeJoined>(event.body)) ++ready_nodes_;
        if (holds_alternative<control::StepDone>(event.body)) ++steps_;
    };
    client_->start(
        [this](const link::ControlClient::State& state) {
            if (state.kind != link::ControlClient::State::Kind::connected) return;
            client_->request(control::Subscribe{}, std::chrono::seconds(10), [this](Result<control::Message> reply) {
                if (!reply) return;
                for (const auto& [id, node] : get<control::Snapshot>(*reply).state.nodes)
                    ready_nodes_ += node.state == control::NodeState::ready;
            });
        },
        [count](std::uint64_t, const control::Message& message) {
            if (const auto* push = get_if<control::EventPush>(&message))
                for (const control::Event& event : push->events) count(event);
        });
    return wait_until([this] { return ready_nodes_ >= 2; }, patience_s);
}

bool SmallCluster::wait_until(const std::function<bool()>& done, double seconds) {
    bool late = false;
    const auto end = loop_.after(std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)), [&] {
        late = true;
        loop_.stop();
    });
    const auto look = loop_.every(std::chrono::milliseconds(20), [&] {
        if (done()) loop_.stop();
    });
    while (!late && !done()) loop_.run();
    loop_.cancel(look);
    loop_.cancel(end);
    return done();
}

void SmallCluster::wait(double seconds) {
    (void)wait_until([] { return false; }, seconds);
}

TaskId SmallCluster::submit(const std::string& text) {
    std::optional<Result<control::Message>> answer;
    client_->request(control::SubmitTask{text, "/", "", {}, "bench"}, std::chrono::seconds(60),
                     [&](Result<control::Message> reply) {
                         answer = std::move(reply);
                         loop_.stop();
                     });
    while (!answer) loop_.run();
    if (!*answer) {
        std::fprintf(stderr, "refused: %s\n", answer->error().message().c_str());
        std::exit(1);
    }
    return get<control::SubmitReply>(**answer).task;
}

std::optional<double> SmallCluster::longest_round_s() const {
    if (metrics_.empty()) return std::nullopt;
    const std::string text = tests::http_body(tests::http_get(std::stoi(metrics_), "/metrics"));
    const std::string name = "\ndivisi_loop_longest_round_seconds ";
    const std::size_t at = text.find(name);
    if (at == std::string::npos) return std::nullopt;
    return std::strtod(text.c_str() + at + name.size(), nullptr);
}

}  // namespace divisi::bench
