// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/bench/console/scripted_cluster.h"

#include <QDir>
#include <algorithm>
#include <future>

#include "backend/control/protocol/connection_messages.h"
#include "backend/link/connection_file.h"
#include "backend/wire/message_codec.h"

namespace divisi::bench {

namespace {

/// Interval at which due messages are sent. About a hundred messages are due each time, as from a busy orchestrator.
constexpr Duration flood_tick = std::chrono::milliseconds(1);
constexpr int events_every = 10;
/// Less than a second, so that the last messages are sent before the second is over.
constexpr double flood_takes_s = 0.9;

}  // namespace

std::string bytes_of(const control::ClusterState& state) {
    std::string bytes;
    for (const control::Snapshot& page : control::snapshot_pages(state, {})) {
        const Result<std::string> encoded = wire::encode(page);
        if (!encoded.ok()) qFatal("%s", encoded.error().message().c_str());
        bytes += *encoded;
    }
    return bytes;
}

ScriptedCluster::ScriptedCluster() : server_(loop_, [this](const control::Input& input) { take(input); }) {
    for (control::Event::Body& body : task_.beginning()) happen(std::move(body));
    happen(RunningTask::step(++step_));
    const std::string endpoint = "ipc://" + folder_.filePath(QStringLiteral("c.sock")).toStdString();
    const Result<std::string> heard = server_.listen(transport_, endpoint);
    if (!heard.ok()) qFatal("%s", heard.error().message().c_str());
    file_ = folder_.filePath(QStringLiteral("connection.toml")).toStdString();
    if (const auto written = link::write_connection(file_, {*heard, ""}); !written.ok())
        qFatal("%s", written.error().message().c_str());
    loop_.every(flood_tick, [this] { send_due(); });
    thread_ = std::thread([this] { loop_.run(); });
}

ScriptedCluster::~ScriptedCluster() {
    loop_.stop();
    thread_.join();
}

void ScriptedCluster::take(const control::Input& input) {
    if (const auto* gone = get_if<control::PeerGone>(&input)) {
        if (std::erase(peers_, gone->peer) > 0) ++lost_;
        return;
    }
    const auto* received = get_if<control::Received>(&input);
    if (!received || received->correlation == 0) return;
    const auto answer = [&](control::Message message) {
        server_.send({received->peer, received->correlation, std::move(message)});
    };
    if (holds_alternative<control::Hello>(received->message)) {
        answer(control::Welcome{"bench", "0.1.0", control::Role::operate, state_.sequence});
    } else if (holds_alternative<control::Subscribe>(received->message)) {
        pages_ = control::snapshot_pages(state_, {});
        answer(pages_.front());
        std::erase(peers_, received->peer);
        peers_.push_back(received->peer);
    } else if (const auto* next = get_if<control::FetchSnapshotPage>(&received->message)) {
        answer(pages_.at(next->page));
    } else {
        answer(control::Refused{{ErrorCode::unsupported, "this cluster only tells", "bench", ""}});
    }
}

void ScriptedCluster::happen(control::Event::Body body) {
    const control::Event event{state_.sequence + 1, loop_.now(), std::move(body)};
    control::apply(state_, event);
    for (const control::PeerId peer : std::vector(peers_)) server_.send({peer, 0, control::EventPush{{event}}});
}

void ScriptedCluster::flood(std::int64_t messages) {
    flooding_ = true;
    loop_.post([this, messages] {
        due_ = messages;
        sent_ = 0;
        began_ = loop_.now();
    });
}

void ScriptedCluster::send_due() {
    if (!flooding_ || due_ == 0) return;
    const double passed = std::chrono::duration<double>(loop_.now() - began_).count();
    const double share = passed / flood_takes_s;
    const auto until = std::min(due_, static_cast<std::int64_t>(share * static_cast<double>(due_)));
    for (; sent_ < until; ++sent_) {
        if (sent_ % events_every == 0) {
            happen(RunningTask::step(++step_));
            ++events_;
            continue;
        }
        const control::LoadPush push{{task_.load(static_cast<int>(sent_ % stages), step_)}};
        for (const control::PeerId peer : std::vector(peers_)) server_.send({peer, 0, push});
        measurements_ += static_cast<std::int64_t>(peers_.size());
    }
    if (sent_ < due_) return;
    due_ = 0;
    flood_s_ = std::chrono::duration<double>(loop_.now() - began_).count();
    flooding_ = false;
}

std::string ScriptedCluster::state_bytes() {
    std::promise<std::string> told;
    loop_.post([this, &told] { told.set_value(bytes_of(state_)); });
    return told.get_future().get();
}

}  // namespace divisi::bench
