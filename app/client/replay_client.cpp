// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/replay_client.h"

#include <QLocale>
#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include "app/client/refusal_text.h"
#include "backend/control/protocol/log_messages.h"

namespace divisi::client {

namespace {

/// Interval in ms at which the clock for ages is reset, so that displayed ages stay constant. Ages are displayed with
/// at most one decimal of a second.
constexpr int hold_ms = 100;
/// Time in ms after which a WatchServices question without news gets an empty answer, as from the registry.
constexpr int watch_ms = 1000;
/// Duration of one part of the scan, shorter than a frame of the display.
constexpr std::chrono::milliseconds scan_piece{8};
constexpr std::size_t records_at_once = 16;

struct RecordingRefusal {
    std::string_view kind;  ///< name of the message kind: control::kind_name(), or "stop_module"
    const char* sentence;
};

constexpr const char* read_stores =
    QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to the cluster to read its stores.");
constexpr const char* inject_faults =
    QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to inject faults.");
constexpr const char* set_policies =
    QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to set policies.");

/// Reasons why a recording refuses a message. For messages that are not in this list, why_not_replayed() gives the
/// reason.
constexpr RecordingRefusal recording_refusals[] = {
    {"list_stores", read_stores},
    {"read_store", read_stores},
    {"query_lines",
     QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to the cluster to read its processes' output.")},
    {"ask_recut_advice", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to get advice.")},
    {"recut", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to re-cut a task.")},
    {"stop_task", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to stop tasks.")},
    {"release_task", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to release tasks.")},
    {"retry_exception", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to retry a task.")},
    {"drop_exception",
     QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to drop exceptions.")},
    {"drop_version", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to drop versions.")},
    {"keep_checkpoint",
     QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to keep checkpoints.")},
    {"drain_node", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to drain nodes.")},
    {"fault_link", inject_faults},
    {"kill_router", inject_faults},
    {"kill_instance", inject_faults},
    {"kill_node", inject_faults},
    {"pause_instance", inject_faults},
    {"heal_faults", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to heal links.")},
    {"set_policies", set_policies},
    {"roll_back_policies", set_policies},
    {"try_policies", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to try policies.")},
    {"stop_module", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to stop modules.")},
    {"change_module", QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to change modules.")},
};

/// Reasons why a recording does not carry out a LocalOrder, in the order of its types; null: the order is ignored.
constexpr const char* recording_local_refusals[LocalOrder::size] = {
    QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to run the task."),
    QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: the cluster holds the results; connect to it to save them."),
    QT_TRANSLATE_NOOP("divisi::client::ReplayClient",
                      "%1: the cluster holds the weights; connect to it to export them."),
    nullptr,
    QT_TRANSLATE_NOOP("divisi::client::ReplayClient", "%1: connect to a cluster to start modules."),
};

/// Compares devices without their revisions and ages, which the recording does not report reliably.
bool same_devices(const std::vector<control::ServiceDevice>& a, const std::vector<control::ServiceDevice>& b) {
    const auto said = [](const control::ServiceDevice& one) {
        return std::tuple(one.name, one.role, one.id, one.stale);
    };
    return std::ranges::equal(a, b, {}, said, said);
}

}  // namespace

Result<std::unique_ptr<ReplayClient>> ReplayClient::open(const std::filesystem::path& file,
                                                         RecordedCluster::Scan scan) {
    DIVISI_ASSIGN(RecordedCluster cluster, RecordedCluster::open(file, scan));
    return std::unique_ptr<ReplayClient>(new ReplayClient(std::move(cluster), file));
}

Result<void> ReplayClient::check(const std::filesystem::path& file) { return RecordedCluster::check(file); }

ReplayClient::ReplayClient(RecordedCluster cluster, std::filesystem::path file)
    : cluster_(std::move(cluster)), file_(std::move(file)) {
    status_.connection = Connection::connected;
    status_.replayed = true;
    status_.role = control::Role::viewer;
    hold_.setInterval(hold_ms);
    connect(&hold_, &QTimer::timeout, this, [this] { cluster_.rebase(zero(cluster_.at())); });
    hold_.start();
    patience_.setSingleShot(true);
    patience_.setInterval(watch_ms);
    connect(&patience_, &QTimer::timeout, this, &ReplayClient::answer_services);
    cluster_.go({}, zero({}));
    take_status(false);
    scanned_ = cluster_.scan_on(0);
    connect(&scan_, &QTimer::timeout, this, &ReplayClient::scan_on);
    if (!scanned_) scan_.start();
}

/// Scans for a short time, so that the window can paint and respond in between.
void ReplayClient::scan_on() {
    const auto until = Steady::now() + scan_piece;
    while (!scanned_ && Steady::now() < until) scanned_ = cluster_.scan_on(records_at_once);
    if (!scanned_) return;
    scan_.stop();
    for (const std::function<void()>& answer : std::exchange(waiting_, {})) later(answer);
    Q_EMIT scanned();
}

ReplayClient::Steady::time_point ReplayClient::zero(Duration at) const {
    return Steady::now() - std::chrono::duration_cast<Steady::duration>(at);
}

TimePoint ReplayClient::now() const { return end() + std::chrono::duration_cast<Duration>(Steady::now() - opened_); }

void ReplayClient::show(TimePoint at) {
    const Duration to = std::clamp(at - begin(), Duration{}, cluster_.length());
    const bool anew = cluster_.go(to, zero(to));
    take_status(anew);
    Q_EMIT dataChanged();
    tell_task();
    if (watched_ && has_news(*watched_)) answer_services();
}

/// Names the task that views should follow: a task that the recording console submitted. If no task was named before,
/// names the newest unfinished task instead or, if all tasks have ended, the newest task.
void ReplayClient::tell_task() {
    std::vector<std::string> tasks = cluster_.take_submitted();
    const auto& known = cluster_.data().state.tasks;
    if (told_.empty() && tasks.empty() && !known.empty()) {
        const auto later = [](const auto& a, const auto& b) {
            const bool a_runs = !a.second.over(), b_runs = !b.second.over();
            return a_runs != b_runs ? b_runs : a.second.submitted_at < b.second.submitted_at;
        };
        tasks.push_back(std::max_element(known.begin(), known.end(), later)->first.value());
    }
    // Name each task only once: after a rewind, the same tasks appear again, and the user may have chosen a different
    // task in the meantime.
    for (const std::string& task : tasks)
        if (told_.insert(task).second) Q_EMIT submitted(QString::fromStdString(task));
}

/// Updates the status. If the time went back, data that views have stored is newer than the displayed time. The status
/// then changes as after a lost connection, so that views repeat their requests.
void ReplayClient::take_status(bool anew) {
    Status now = status_;
    const std::optional<Status>& told = cluster_.status();
    const std::string& name = cluster_.data().state.name;
    if (told && !told->where.isEmpty()) now.where = told->where;
    else if (!name.empty()) now.where = QString::fromStdString(name);
    const bool heard = !told || told->connection == Connection::connected;
    now.problem = heard ? QString() : quoted(told->problem.toStdString());
    if (anew) {
        watched_.reset();
        status_.connection = Connection::connecting;
        Q_EMIT statusChanged();
    }
    const bool same = !anew && now.where == status_.where && now.problem == status_.problem;
    status_ = now;
    status_.connection = Connection::connected;
    if (!same) Q_EMIT statusChanged();
}

QString ReplayClient::note() const {
    if (cluster_.end() == store::RecordingEnd::damaged)
        return tr("The recording is damaged: it is shown up to the damage; the last %1 bytes are left out.")
            .arg(QLocale().toString(static_cast<qlonglong>(cluster_.lost())));
    if (cluster_.end() == store::RecordingEnd::cut_off)
        return tr("The recording was not closed: it is shown up to the last complete record.");
    if (cluster_.unreadable() > 0)
        return tr("The recording has records that this version of Divisi does not know; they are left out.");
    return {};
}

// --- questions answered from the file ----------------------------------------------------------

void ReplayClient::answer(const control::Message& question) {
    if (const auto* watch = get_if<control::WatchServices>(&question)) return watch_services(*watch);
    if (const auto* query = get_if<control::QueryLog>(&question))
        return when_scanned([this, asked = *query] { tell(asked, cluster_.log(asked)); });
    if (const auto* query = get_if<control::QuerySignals>(&question))
        return later([this, asked = *query] { tell(asked, cluster_.signals_after(asked.after)); });
    if (holds_alternative<control::QueryMesh>(question))
        return later([this] {
            if (!cluster_.mesh()) return;
            control::MeshState mesh = *cluster_.mesh();
            mesh.faults_allowed = false;
            tell(control::QueryMesh{}, mesh);
        });
    if (holds_alternative<control::QueryPolicies>(question))
        return later([this] { tell(control::QueryPolicies{}, cluster_.policies()); });
    if (holds_alternative<control::QueryModules>(question))
        return later([this] {
            if (cluster_.modules()) tell(control::QueryModules{}, *cluster_.modules());
        });
    refuse_question(question);
}

void ReplayClient::watch_services(const control::WatchServices& question) {
    if (watched_) return;
    watched_ = question;
    if (has_news(question)) later([this] { answer_services(); });
    else patience_.start();
}

/// Returns whether a watch has news. The registry reports gateways and routers by revision. A recording contains these
/// devices in mesh reports, which may be recorded after the revision.
bool ReplayClient::has_news(const control::WatchServices& question) const {
    if (cluster_.data().state.registry.epoch == 0) return false;
    return cluster_.services(question).snapshot || !same_devices(cluster_.registered_devices(), told_devices_);
}

void ReplayClient::answer_services() {
    patience_.stop();
    const auto question = std::exchange(watched_, std::nullopt);
    if (!question) return;
    control::ServiceChanges answer = cluster_.services(*question);
    if (!answer.snapshot && has_news(*question)) answer = cluster_.services({});  // the answer is a full snapshot
    if (answer.snapshot && !answer.more) told_devices_ = answer.devices;
    tell(*question, answer);
}

// --- requests that need a cluster --------------------------------------------------------------

QString ReplayClient::recording() const { return tr("This is a recording of %1").arg(status_.where); }
QString ReplayClient::refusal(const control::Message& message) const {
    const auto* change = get_if<control::ChangeModule>(&message);
    const std::string_view kind = change && change->stop ? "stop_module" : control::kind_name(message);
    const auto found = std::ranges::find(recording_refusals, kind, &RecordingRefusal::kind);
    return found != std::end(recording_refusals) ? tr(found->sentence).arg(recording()) : why_not_replayed(status_);
}

void ReplayClient::refuse_question(const control::Message& question) {
    const QString why = refusal(question);
    const Answered refused{question, Error{ErrorCode::unavailable, why.toStdString(), {}, {}}, why};
    if (holds_alternative<control::Recut>(question) || holds_alternative<control::AskRecutAdvice>(question))
        return Q_EMIT answered(refused);  // requests about re-cuts are refused immediately
    later([this, refused] { Q_EMIT answered(refused); });
}

void ReplayClient::send(Sending how, const control::Message& message) {
    if (how != Sending::order) return answer(message);
    // Spans need no request: they are available if the recording contains them.
    if (control::needed_right(message) != control::Right::watch) Q_EMIT refused(refusal(message));
}

void ReplayClient::carry_out(const LocalOrder& order) {
    if (const char* sentence = recording_local_refusals[order.index()]) Q_EMIT refused(tr(sentence).arg(recording()));
}

}  // namespace divisi::client

#include "moc_replay_client.cpp"
