// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/replay_client.h"

#include <QLocale>
#include <algorithm>
#include <tuple>
#include <utility>

#include "app/client/refusal_text.h"

namespace divisi::client {

namespace {

/// Interval in ms at which shown ages are held constant: they are displayed to a tenth of a second at most.
constexpr int hold_ms = 100;
/// A watch without news gets an empty answer after this time, as from the registry.
constexpr int watch_ms = 1000;
/// Duration of one scan step, shorter than a frame.
constexpr std::chrono::milliseconds scan_piece{8};
constexpr std::size_t records_at_once = 16;

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

/// Names the task that views should follow: the one that the recording console submitted, or else the newest running
/// task.
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
    // Name each task once: after a rewind the same tasks come again, and the user may have chosen another meanwhile.
    for (const std::string& task : tasks)
        if (told_.insert(task).second) Q_EMIT submitted(QString::fromStdString(task));
}

/// Updates the status. If the recording restarted from an earlier state, data that views keep themselves is too new.
/// The status then changes as after a lost connection, so that views ask again.
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

void ReplayClient::ask_mesh() {
    later([this] {
        if (!cluster_.mesh()) return;
        control::MeshState mesh = *cluster_.mesh();
        mesh.faults_allowed = false;
        Q_EMIT meshCame(mesh);
    });
}

void ReplayClient::ask_signals(std::uint64_t after) {
    later([this, after] { Q_EMIT signalsCame(cluster_.signals_after(after)); });
}

void ReplayClient::ask_services(const control::WatchServices& question) {
    if (watched_) return;
    watched_ = question;
    if (has_news(question)) later([this] { answer_services(); });
    else patience_.start();
}

/// Returns whether a watch has news. The registry reports gateways and routers by revision. A recording has them in its
/// mesh, which may come after the revision.
bool ReplayClient::has_news(const control::WatchServices& question) const {
    if (cluster_.data().state.registry.epoch == 0) return false;
    return cluster_.services(question).snapshot || !same_devices(cluster_.registered_devices(), told_devices_);
}

void ReplayClient::answer_services() {
    patience_.stop();
    const auto question = std::exchange(watched_, std::nullopt);
    if (!question) return;
    control::ServiceChanges answer = cluster_.services(*question);
    if (!answer.snapshot && has_news(*question)) answer = cluster_.services({});  // a full snapshot
    if (answer.snapshot && !answer.more) told_devices_ = answer.devices;
    Q_EMIT servicesCame(*question, answer);
}

void ReplayClient::ask_receipts(const control::QueryLog& question) {
    when_scanned([this, question] { Q_EMIT receiptsCame(cluster_.log(question)); });
}

void ReplayClient::ask_log(const control::QueryLog& question) {
    when_scanned([this, question] { Q_EMIT logCame(question, cluster_.log(question)); });
}

void ReplayClient::ask_policies() {
    later([this] { Q_EMIT policiesCame(cluster_.policies()); });
}

void ReplayClient::ask_modules() {
    later([this] {
        if (cluster_.modules()) Q_EMIT modulesCame(*cluster_.modules());
    });
}

// --- requests that need a cluster --------------------------------------------------------------

QString ReplayClient::recording() const { return tr("This is a recording of %1").arg(status_.where); }
Error ReplayClient::absent(const QString& sentence) const {
    return {ErrorCode::unavailable, sentence.arg(recording()).toStdString(), {}, {}};
}
void ReplayClient::refuse(const QString& sentence) { Q_EMIT refused(sentence.arg(recording())); }

void ReplayClient::submit(const QString&, const QString&) { refuse(tr("%1: connect to a cluster to run the task.")); }
void ReplayClient::resubmit(std::uint64_t, const QString&, const QString&) {
    refuse(tr("%1: connect to a cluster to run the task."));
}
void ReplayClient::stop(const TaskId&) { refuse(tr("%1: connect to a cluster to stop tasks.")); }
void ReplayClient::release(const TaskId&) { refuse(tr("%1: connect to a cluster to release tasks.")); }
void ReplayClient::save_results(const TaskId&, const QString&) {
    refuse(tr("%1: the cluster holds the results; connect to it to save them."));
}
void ReplayClient::retry_exception(std::uint64_t) { refuse(tr("%1: connect to a cluster to retry a task.")); }
void ReplayClient::drop_exception(std::uint64_t) { refuse(tr("%1: connect to a cluster to drop exceptions.")); }
void ReplayClient::ask_stores(const control::ListStores& question) {
    control::StoreList none{question.question, {}, false, absent(tr("%1: connect to the cluster to read its stores."))};
    later([this, question, none] { Q_EMIT storesCame(question, none); });
}
void ReplayClient::ask_store_rows(const control::ReadStore& question) {
    control::StorePage none;
    none.question = question.question;
    none.error = absent(tr("%1: connect to the cluster to read its stores."));
    later([this, question, none] { Q_EMIT storeRowsCame(question, none); });
}
void ReplayClient::ask_lines(const control::QueryLines& question) {
    const QString why = tr("%1: connect to the cluster to read its processes' output.").arg(recording());
    later([this, question, why] { Q_EMIT linesRefused(question, why); });
}
void ReplayClient::drop_version(std::uint64_t) { refuse(tr("%1: connect to a cluster to drop versions.")); }
void ReplayClient::keep_checkpoint(const TaskId&, std::int64_t) {
    refuse(tr("%1: connect to a cluster to keep checkpoints."));
}
void ReplayClient::export_version(std::uint64_t, const QString&) {
    refuse(tr("%1: the cluster holds the weights; connect to it to export them."));
}
void ReplayClient::drain_node(const NodeId&, bool) { refuse(tr("%1: connect to a cluster to drain nodes.")); }
void ReplayClient::ask_advice(const TaskId& task) {
    Q_EMIT adviceRefused(task, tr("%1: connect to a cluster to get advice.").arg(recording()));
}
void ReplayClient::recut(const control::Recut& wanted) {
    Q_EMIT recutRefused(wanted.task, tr("%1: connect to a cluster to re-cut a task.").arg(recording()));
}
void ReplayClient::fault_link(const control::LinkFault&) { refuse(tr("%1: connect to a cluster to inject faults.")); }
void ReplayClient::kill_router(const std::string&) { refuse(tr("%1: connect to a cluster to inject faults.")); }
void ReplayClient::kill_instance(const std::string&) { refuse(tr("%1: connect to a cluster to inject faults.")); }
void ReplayClient::kill_node(const std::string&) { refuse(tr("%1: connect to a cluster to inject faults.")); }
void ReplayClient::pause_instance(const std::string&, double) {
    refuse(tr("%1: connect to a cluster to inject faults."));
}
void ReplayClient::heal_faults(const std::string&, const std::string&) {
    refuse(tr("%1: connect to a cluster to heal links."));
}
void ReplayClient::set_policies(const std::vector<std::string>&) {
    refuse(tr("%1: connect to a cluster to set policies."));
}
void ReplayClient::roll_back_policies(std::uint64_t) { refuse(tr("%1: connect to a cluster to set policies.")); }
void ReplayClient::try_policies(const std::vector<std::string>&) {
    refuse(tr("%1: connect to a cluster to try policies."));
}
void ReplayClient::start_module(const std::string&, const std::string&) {
    refuse(tr("%1: connect to a cluster to start modules."));
}
void ReplayClient::stop_module(const std::string&, const std::string&) {
    refuse(tr("%1: connect to a cluster to stop modules."));
}
void ReplayClient::use_module(const std::string&, const std::string&) {
    refuse(tr("%1: connect to a cluster to change modules."));
}

}  // namespace divisi::client
