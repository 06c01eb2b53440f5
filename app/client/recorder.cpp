// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/recorder.h"

#include <QLocale>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/client/record_codec.h"
#include "app/client/refusal_text.h"
#include "backend/base/version.h"
#include "backend/control/protocol/connection_messages.h"
#include "backend/control/protocol/mesh_messages.h"
#include "backend/control/protocol/policy_messages.h"
#include "backend/control/types/module_types.h"

namespace divisi::client {

namespace {

using namespace std::chrono_literals;

/// Interval in ms for requesting the mesh, short enough for a smooth replay. An hour of mesh reports takes about 20 MB.
constexpr int ask_ms = 1000;
/// Minimum time between recorded mesh reports. Views also request the mesh, but more frequent reports are not needed.
constexpr std::chrono::milliseconds least_between_meshes{500};
/// Policies and modules are requested only in one of this many rounds, because they change only on a user's order.
constexpr std::uint64_t policies_every = 5;
/// Interval in ms for checking whether a stopped recording is completely on disk.
constexpr int look_ms = 200;

}  // namespace

Recorder::Recorder(Client& client, QObject* parent, OpenSink open, RecorderPatience patience)
    : QObject(parent), client_(client), open_(std::move(open)), patience_(patience) {
    asking_.setInterval(ask_ms);
    connect(&asking_, &QTimer::timeout, this, &Recorder::ask);
    looking_.setInterval(look_ms);
    connect(&looking_, &QTimer::timeout, this, &Recorder::poll);
    connect(&client_, &Client::mailCame, this, &Recorder::take);
}

Recorder::~Recorder() {
    disconnect();
    if (active_) stop();
    const Steady::time_point until = Steady::now() + patience_.last;
    for (const Ending& ending : ending_) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now());
        if (ending.writer->wait_over(std::max(left, 0ms))) continue;
        std::fprintf(stderr, "divisi: the disk of %s does not answer: the last %.0f s of the recording are not in it\n",
                     ending.path.c_str(), missing_s(ending));
    }
}

Result<void> Recorder::start(const std::filesystem::path& file) {
    if (active()) return Error{ErrorCode::conflict, "is being recorded", path_.string(), "end this recording first"};
    store::RecordingHeader header;
    header.program = version;
    header.protocol = control::protocol_version;
    header.begun = client_.now();
    auto writer = std::make_shared<RecordWriter>(
        file, header, open_, [this] { QMetaObject::invokeMethod(this, &Recorder::poll, Qt::QueuedConnection); });
    DIVISI_TRY(writer->wait_open(patience_.open));
    writer_ = std::move(writer);
    path_ = file;
    begun_ = Steady::now();
    last_mesh_ = {};
    last_signal_ = asked_ = 0;
    active_ = true;
    put(mail_of(client_), {});
    asking_.start();
    ask();
    Q_EMIT activeChanged();
    return {};
}

void Recorder::stop() {
    if (!active()) return;
    asking_.stop();
    active_ = false;
    ended_ = Steady::now();
    writer_->close();
    ending_.push_back({writer_, path_, std::chrono::duration_cast<Duration>(ended_ - begun_), ended_ + patience_.late});
    (void)writer_->wait_over(patience_.stop);
    looking_.start();
    Q_EMIT activeChanged();
    poll();
}

std::chrono::steady_clock::duration Recorder::elapsed() const { return (active() ? Steady::now() : ended_) - begun_; }

/// Requests everything that visible views would request.
void Recorder::ask() {
    if (!client_.status().reaches()) return;
    client_.poll(control::QueryMesh{});
    client_.poll(control::QuerySignals{last_signal_});
    watch_spans();
    if (asked_++ % policies_every != 0) return;
    client_.poll(control::QueryPolicies{});
    client_.poll(control::QueryModules{});
}

void Recorder::watch_spans() {
    std::size_t watched = 0;
    for (const auto& [id, task] : client_.data().state.tasks) {
        if (task.over() || task.step == 0) continue;
        client_.order(control::WatchSpans{id});
        if (++watched == control::most_watched_tasks) return;
    }
}

void Recorder::take(const Mail& mail) {
    if (!active()) return;
    if (mail.status) last_signal_ = 0;  // a restarted orchestrator numbers signals from the beginning
    Mail kept = mail;
    keep_new(kept);
    put(std::move(kept), std::chrono::duration_cast<Duration>(Steady::now() - begun_));
}

/// Removes from the mail the data that was recorded already. Data can arrive twice, because both views and the recorder
/// request it.
void Recorder::keep_new(Mail& mail) {
    if (auto* came = mail.answer<control::Signals>()) {
        auto& records = came->records;
        std::erase_if(records, [&](const control::SignalRecord& one) { return one.number <= last_signal_; });
        if (!records.empty()) last_signal_ = records.back().number;
    }
    if (!mail.answer<control::MeshState>()) return;
    const Steady::time_point now = Steady::now();
    if (now - last_mesh_ >= least_between_meshes) last_mesh_ = now;
    else
        std::erase_if(mail.answers,
                      [](const Answered& one) { return holds_alternative<control::QueryMesh>(one.question); });
}

void Recorder::put(Mail mail, Duration at) {
    if (writer_->put(std::move(mail), at)) return;
    stop();
    if (ending_.empty() || ending_.back().writer != writer_) return;  // the writer finished in the meantime
    Ending& ending = ending_.back();
    ending.told = true;
    Q_EMIT failed(tr("Recording has ended: the disk of %1 is too slow. The last %2 s are not in the file yet, and are "
                     "lost if the disk does not recover. Record to another disk.")
                      .arg(QString::fromStdString(ending.path.string()))
                      .arg(QLocale().toString(missing_s(ending), 'f', 0)));
}

/// Checks the state of the writing threads.
void Recorder::poll() {
    if (active() && writer_->wait_over(0ms)) return stop();  // the recording ended without stop(), as after an error
    QStringList problems;
    std::erase_if(ending_, [&](Ending& ending) {
        const bool over = ending.writer->wait_over(0ms);
        const QString problem = over ? error_text(ending) : late_text(ending);
        if (!problem.isEmpty()) problems << problem;
        return over;
    });
    if (ending_.empty()) looking_.stop();
    for (const QString& problem : problems) Q_EMIT failed(problem);
}

QString Recorder::error_text(const Ending& ending) {
    const auto error = ending.writer->error();
    if (!error) return {};
    return tr("Recording has ended: %1. The file can be replayed up to there.").arg(quoted(*error));
}

QString Recorder::late_text(Ending& ending) {
    if (ending.told || Steady::now() < ending.due) return {};
    ending.told = true;
    return tr("The disk of %1 does not answer: the last %2 s of the recording are not in the file yet. Keep the window "
              "open until it does, or they are lost.")
        .arg(QString::fromStdString(ending.path.string()))
        .arg(QLocale().toString(missing_s(ending), 'f', 0));
}

double Recorder::missing_s(const Ending& ending) {
    return std::chrono::duration<double>(ending.length - ending.writer->written()).count();
}

}  // namespace divisi::client

#include "moc_recorder.cpp"
