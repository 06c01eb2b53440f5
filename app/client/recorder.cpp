// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/recorder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/client/record_codec.h"
#include "backend/base/version.h"

namespace divisi::client {

namespace {

/// The mesh is asked for once a second: often enough for a picture that moves, and an hour of it is some 20 MB.
constexpr int ask_ms = 1000;
/// A view may ask too; more than that tells nothing new.
constexpr std::chrono::milliseconds least_between_meshes{500};
/// Policies and modules change when somebody changes them.
constexpr std::uint64_t policies_every = 5;

}  // namespace

Recorder::Recorder(Client& client, QObject* parent) : QObject(parent), client_(client) {
    asking_.setInterval(ask_ms);
    connect(&asking_, &QTimer::timeout, this, &Recorder::ask);
    connect(&client_, &Client::mailCame, this, &Recorder::take);
}

Recorder::~Recorder() { join(); }

Result<void> Recorder::start(const std::filesystem::path& file) {
    if (active()) return Error{ErrorCode::conflict, "is being recorded", path_.string(), "end this recording first"};
    store::RecordingHeader header;
    header.program = version;
    header.protocol = control::protocol_version;
    header.begun = client_.now();
    DIVISI_ASSIGN(store::RecordingWriter writer, store::RecordingWriter::create(file, header));
    path_ = file;
    begun_ = Steady::now();
    last_mesh_ = {};
    last_signal_ = asked_ = 0;
    size_ = writer.size();
    over_ = broken_ = false;
    file_ = ++files_;
    thread_ = std::thread(
        [this, own = std::make_unique<store::RecordingWriter>(std::move(writer))]() mutable { serve(std::move(own)); });
    put(mail_of(client_), {});
    asking_.start();
    ask();
    Q_EMIT activeChanged();
    return {};
}

void Recorder::stop() {
    if (!active()) return;
    join();
    Q_EMIT activeChanged();
}

void Recorder::join() {
    asking_.stop();
    if (file_) ended_ = Steady::now();
    file_.reset();
    {
        const std::lock_guard lock(mutex_);
        over_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
    waiting_.clear();
}

std::chrono::steady_clock::duration Recorder::elapsed() const { return (active() ? Steady::now() : ended_) - begun_; }

/// What the views would ask for if they were seen.
void Recorder::ask() {
    if (!client_.status().reaches()) return;
    client_.ask_mesh();
    client_.ask_signals(last_signal_);
    watch_spans();
    if (asked_++ % policies_every != 0) return;
    client_.ask_policies();
    client_.ask_modules();
}

void Recorder::watch_spans() {
    std::size_t watched = 0;
    for (const auto& [id, task] : client_.data().state.tasks) {
        if (task.over() || task.step == 0) continue;
        client_.watch_spans(id);
        if (++watched == control::most_watched_tasks) return;
    }
}

void Recorder::take(const Mail& mail) {
    if (!active()) return;
    if (mail.status) last_signal_ = 0;  // another orchestrator counts anew
    Mail kept = mail;
    keep_new(kept);
    put(std::move(kept), std::chrono::duration_cast<Duration>(Steady::now() - begun_));
}

/// Of what was asked for twice, by a view and by this, only what is new.
void Recorder::keep_new(Mail& mail) {
    if (mail.signal_messages) {
        auto& records = mail.signal_messages->records;
        std::erase_if(records, [&](const control::SignalRecord& one) { return one.number <= last_signal_; });
        if (!records.empty()) last_signal_ = records.back().number;
    }
    if (!mail.mesh) return;
    const Steady::time_point now = Steady::now();
    if (now - last_mesh_ < least_between_meshes) mail.mesh.reset();
    else last_mesh_ = now;
}

void Recorder::put(Mail mail, Duration at) {
    bool behind = false;
    {
        const std::lock_guard lock(mutex_);
        behind = waiting_.size() >= most_waiting_mails;
        if (!behind && !broken_) waiting_.push_back({std::move(mail), at});
    }
    wake_.notify_one();
    if (!behind) return;
    stop();
    Q_EMIT failed(tr("Recording has ended: the disk of %1 does not keep up. What came before is in the file; record to "
                     "another disk.")
                      .arg(QString::fromStdString(path_.string())));
}

void Recorder::serve(std::unique_ptr<store::RecordingWriter> writer) {
    for (bool over = false; !over;) {
        std::deque<Waiting> waiting;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return over_ || !waiting_.empty(); });
            waiting.swap(waiting_);
            over = over_ && waiting.empty();
        }
        if (!write(*writer, waiting)) return;
    }
    if (const Result<void> done = writer->finish(); !done.ok()) tell_failure(done.error());
    size_ = writer->size();
}

/// False where the disk takes no more.
bool Recorder::write(store::RecordingWriter& writer, const std::deque<Waiting>& waiting) {
    for (const auto& [mail, at] : waiting) {
        const auto records = records_of(mail, at);
        const Result<void> done = records.ok() ? writer.write(*records) : Result<void>(records.error());
        size_ = writer.size();
        if (done.ok()) continue;
        (void)writer.finish();
        {
            const std::lock_guard lock(mutex_);
            broken_ = true;
            waiting_.clear();
        }
        tell_failure(done.error());
        return false;
    }
    return true;
}

void Recorder::tell_failure(const Error& error) {
    const QString why = QString::fromStdString(error.message());
    QMetaObject::invokeMethod(
        this,
        [this, why, number = files_] {
            if (file_ == number) stop();
            Q_EMIT failed(tr("Recording has ended: %1. The file can be replayed up to there.").arg(why));
        },
        Qt::QueuedConnection);
}

}  // namespace divisi::client
