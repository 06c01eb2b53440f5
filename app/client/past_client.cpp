// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/client/past_client.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "app/client/record_writer.h"
#include "app/client/refusal_text.h"

namespace divisi::client {

namespace {

using Steady = RecordFold::Steady;

/// Interval in ms for requesting the mesh while no view shows it; a visible view asks ten times as often. The mesh
/// shown for a past moment may be older than that moment by up to this interval.
constexpr int ask_mesh_ms = 5000;
/// Interval in ms at which shown ages are held constant: they are displayed to a tenth of a second at most.
constexpr int hold_past_ms = 100;
/// If the clock goes back by more than this, it was set, and the times of the kept data no longer apply.
constexpr Duration clock_slack = std::chrono::seconds(1);

Steady::time_point zero(Duration at) { return Steady::now() - std::chrono::duration_cast<Steady::duration>(at); }

}  // namespace

PastClient::PastClient(Client& live, MomentText text, Bytes most, std::unique_ptr<Courier> thread)
    : live_(live), text_(std::move(text)), begun_(live.now()), past_(most), courier_(std::move(thread)) {
    connect(&live_, &Client::mailCame, this, &PastClient::hear);
    connect(&live_, &Client::meshCame, this, [this](const control::MeshState& mesh) {
        Mail mail;
        mail.mesh = mesh_ = mesh;
        mesh_came_ = Steady::now();
        keep(std::move(mail));
    });
    forward();
    asking_.setInterval(ask_mesh_ms);
    connect(&asking_, &QTimer::timeout, this, [this] {
        if (live_.status().reaches()) live_.ask_mesh();
    });
    asking_.start();
    hold_.setInterval(hold_past_ms);
    connect(&hold_, &QTimer::timeout, this, [this] {
        if (shown_ && shown_->fold) shown_->fold->rebase(zero(shown_->at));
    });
    begin();
}

PastClient::~PastClient() = default;

/// Forwards the live client's signals. While a moment of the past is shown, news of the present is withheld. Answers
/// are always forwarded.
void PastClient::forward() {
    connect(&live_, &Client::statusChanged, this, [this] {
        if (!shown_) Q_EMIT statusChanged();
    });
    connect(&live_, &Client::dataChanged, this, [this] {
        if (!shown_) Q_EMIT dataChanged();
    });
    connect(&live_, &Client::meshCame, this, [this](const control::MeshState& mesh) {
        if (!shown_) Q_EMIT meshCame(mesh);
    });
    connect(&live_, &Client::mailCame, this, &Client::mailCame);
    connect(&live_, &Client::uploadChanged, this, &Client::uploadChanged);
    connect(&live_, &Client::signalsCame, this, &Client::signalsCame);
    connect(&live_, &Client::servicesCame, this, &Client::servicesCame);
    connect(&live_, &Client::receiptsCame, this, &Client::receiptsCame);
    connect(&live_, &Client::logCame, this, &Client::logCame);
    connect(&live_, &Client::storesCame, this, &Client::storesCame);
    connect(&live_, &Client::storeRowsCame, this, &Client::storeRowsCame);
    connect(&live_, &Client::linesCame, this, &Client::linesCame);
    connect(&live_, &Client::linesRefused, this, &Client::linesRefused);
    connect(&live_, &Client::versionExported, this, &Client::versionExported);
    connect(&live_, &Client::adviceCame, this, &Client::adviceCame);
    connect(&live_, &Client::adviceRefused, this, &Client::adviceRefused);
    connect(&live_, &Client::policiesCame, this, &Client::policiesCame);
    connect(&live_, &Client::policySet, this, &Client::policySet);
    connect(&live_, &Client::policyTried, this, &Client::policyTried);
    connect(&live_, &Client::modulesCame, this, &Client::modulesCame);
    connect(&live_, &Client::moduleChanged, this, &Client::moduleChanged);
    connect(&live_, &Client::submitted, this, &Client::submitted);
    connect(&live_, &Client::resultsSaved, this, &Client::resultsSaved);
    connect(&live_, &Client::recutDone, this, &Client::recutDone);
    connect(&live_, &Client::recutRefused, this, &Client::recutRefused);
}

// --- keeping the past --------------------------------------------------------------------------

/// Starts a new stretch of the past. Drops earlier measurements, as their age is unknown.
void PastClient::begin() {
    auto mail = std::make_shared<Mail>(mail_of(live_));
    mail->loads.clear();
    mail->nodes.clear();
    mail->mesh = mesh_;
    last_ = since_begun();
    const Duration mesh_age = Steady::now() - mesh_came_;
    courier_->run([this, mail, at = last_, mesh_age](const std::atomic<bool>&) {
        past_.begin(std::move(*mail), at, mesh_age);
        tell_from();
    });
    if (live_.status().reaches()) live_.ask_mesh();
}

/// Keeps the part of a recording's content that views of the past show. The mesh comes by its own signal.
void PastClient::hear(const Mail& mail) {
    if (mail.snapshot && mail.snapshot->name != live_.data().state.name) mesh_.reset();  // another cluster
    Mail kept;
    kept.status = mail.status;
    kept.snapshot = mail.snapshot;
    kept.events = mail.events;
    kept.loads = mail.loads;
    kept.nodes = mail.nodes;
    const bool measured = !kept.loads.empty() || !kept.nodes.empty();
    if (kept.status || kept.snapshot || !kept.events.empty() || measured) keep(std::move(kept));
}

void PastClient::keep(Mail mail) {
    if (waiting_ >= most_waiting_mails) behind_ = true;
    if (behind_ && waiting_ > 0) return;
    if (std::exchange(behind_, false) || since_begun() + clock_slack < last_) begin();  // resume after the gap
    last_ = std::max(last_, since_begun());
    ++waiting_;
    auto came = std::make_shared<Mail>(std::move(mail));
    courier_->run([this, came, at = since_begun()](const std::atomic<bool>&) {
        past_.take(std::move(*came), at);
        tell_from();
        --waiting_;
    });
}

/// Publishes the first kept moment. Runs on the courier's thread.
void PastClient::tell_from() {
    const std::optional<Duration> from = past_.from();
    from_ = from ? from->count() : -1;
}

std::optional<TimePoint> PastClient::kept_from() const {
    const Duration::rep from = from_;
    return from < 0 ? std::nullopt : std::optional(begun_ + Duration(from));
}

// --- showing a moment --------------------------------------------------------------------------

void PastClient::show(std::optional<TimePoint> at) {
    if (!at) return go_live();
    wanted_ = *at - begun_;
    if (!seeking_) seek();
}

void PastClient::seek() {
    seeking_ = true;
    if (std::exchange(behind_, false)) begin();  // restart after dropped mail, so that the shown data has no gap
    courier_->run([this, at = *wanted_](const std::atomic<bool>&) {
        auto moment = std::make_shared<Moment>();
        moment->at = at;
        if (const RecordFold* fold = past_.at(at)) moment->fold = *fold;
        moment->from = past_.from();
        QMetaObject::invokeMethod(
            this, [this, moment] { take(moment); }, Qt::QueuedConnection);
    });
}

void PastClient::go_live() {
    if (!wanted_) return;
    wanted_.reset();
    courier_->run([this](const std::atomic<bool>&) { past_.rest(); });
    if (!std::exchange(shown_, nullptr)) return;
    hold_.stop();
    Q_EMIT statusChanged();
    // newer than the mesh the views still show; used until the requested mesh arrives
    if (mesh_) Q_EMIT meshCame(*mesh_);
    Q_EMIT dataChanged();
    live_.ask_mesh();
}

void PastClient::take(std::shared_ptr<Moment> moment) {
    seeking_ = false;
    if (!wanted_) return;  // the view is live again
    const bool more = *wanted_ != moment->at;
    auto old = std::exchange(shown_, std::move(moment));
    const bool entered = !old;
    if (shown_->fold) shown_->fold->rebase(zero(shown_->at));
    if (entered) hold_.start();
    const QString before = std::exchange(status_, {}).problem;
    take_status();
    if (entered || before != status_.problem) Q_EMIT statusChanged();
    tell_mesh();
    Q_EMIT dataChanged();
    if (more && wanted_) seek();
    // Free the old state on the courier's thread: a whole state takes long to free.
    courier_->run([old = std::move(old)](const std::atomic<bool>&) {});
}

void PastClient::take_status() {
    status_ = live_.status();
    status_.connection = Connection::connected;
    status_.replayed = status_.past = true;
    status_.problem = problem();
}

QString PastClient::problem() const {
    if (!shown_->from) return tr("No data is kept for the moment shown.");
    if (!shown_->fold)
        return tr("The topology and states are kept from %1 on; the moment shown is earlier. Choose a later one, or "
                  "press Ctrl+L for now.")
            .arg(text_(begun_ + *shown_->from));
    const std::optional<Status>& told = shown_->fold->status();
    return told && told->connection != Connection::connected ? quoted(told->problem.toStdString()) : QString();
}

const ClusterData& PastClient::data() const {
    static const ClusterData none;
    if (!shown_) return live_.data();
    return shown_->fold ? shown_->fold->data() : none;
}

/// Emits the mesh of the shown moment, or an empty mesh if none is known.
void PastClient::tell_mesh() {
    control::MeshState mesh;
    if (shown_->fold) mesh = shown_->fold->mesh().value_or(mesh);
    mesh.faults_allowed = false;
    Q_EMIT meshCame(mesh);
}

void PastClient::ask_mesh() {
    if (!shown_) return live_.ask_mesh();
    const auto answer = [this] {
        if (shown_) tell_mesh();
    };
    QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
}

Duration PastClient::mesh_age() const {
    if (!shown_) return Steady::now() - mesh_came_;
    return shown_->fold && shown_->fold->mesh() ? shown_->at - shown_->fold->mesh_at() : Duration{};
}

// --- calls to the live client ------------------------------------------------------------------

template <typename... Wanted, typename... Given>
void PastClient::pass(void (Client::*what)(Wanted...), const Given&... given) {
    if (wanted_) {
        Status past;
        past.replayed = past.past = true;
        return Q_EMIT refused(why_not_replayed(past));
    }
    (live_.*what)(given...);
}

void PastClient::submit(const QString& text, const QString& folder) { pass(&Client::submit, text, folder); }
void PastClient::resubmit(std::uint64_t exception, const QString& text, const QString& folder) {
    pass(&Client::resubmit, exception, text, folder);
}
void PastClient::stop(const TaskId& task) { pass(&Client::stop, task); }
void PastClient::release(const TaskId& task) { pass(&Client::release, task); }
void PastClient::save_results(const TaskId& task, const QString& file) { pass(&Client::save_results, task, file); }
void PastClient::cancel_upload() { pass(&Client::cancel_upload); }
void PastClient::retry_exception(std::uint64_t number) { pass(&Client::retry_exception, number); }
void PastClient::drop_exception(std::uint64_t number) { pass(&Client::drop_exception, number); }
void PastClient::drop_version(std::uint64_t number) { pass(&Client::drop_version, number); }
void PastClient::keep_checkpoint(const TaskId& task, std::int64_t step) { pass(&Client::keep_checkpoint, task, step); }
void PastClient::export_version(std::uint64_t number, const QString& file) {
    pass(&Client::export_version, number, file);
}
void PastClient::drain_node(const NodeId& node, bool undo) { pass(&Client::drain_node, node, undo); }
void PastClient::recut(const control::Recut& wanted) { pass(&Client::recut, wanted); }
void PastClient::fault_link(const control::LinkFault& fault) { pass(&Client::fault_link, fault); }
void PastClient::kill_router(const std::string& name) { pass(&Client::kill_router, name); }
void PastClient::kill_instance(const std::string& sid) { pass(&Client::kill_instance, sid); }
void PastClient::kill_node(const std::string& name) { pass(&Client::kill_node, name); }
void PastClient::pause_instance(const std::string& sid, double seconds) { pass(&Client::pause_instance, sid, seconds); }
void PastClient::heal_faults(const std::string& a, const std::string& b) { pass(&Client::heal_faults, a, b); }
void PastClient::set_policies(const std::vector<std::string>& settings) { pass(&Client::set_policies, settings); }
void PastClient::roll_back_policies(std::uint64_t version) { pass(&Client::roll_back_policies, version); }
void PastClient::try_policies(const std::vector<std::string>& settings) { pass(&Client::try_policies, settings); }
void PastClient::start_module(const std::string& name, const std::string& program) {
    pass(&Client::start_module, name, program);
}
void PastClient::stop_module(const std::string& name, const std::string& version) {
    pass(&Client::stop_module, name, version);
}
void PastClient::use_module(const std::string& name, const std::string& version) {
    pass(&Client::use_module, name, version);
}

// Pass questions on even in the past: they change nothing, and their answers carry their time.

void PastClient::ask_signals(std::uint64_t after) { live_.ask_signals(after); }
void PastClient::ask_services(const control::WatchServices& question) { live_.ask_services(question); }
void PastClient::ask_receipts(const control::QueryLog& question) { live_.ask_receipts(question); }
void PastClient::ask_log(const control::QueryLog& question) { live_.ask_log(question); }
void PastClient::ask_stores(const control::ListStores& question) { live_.ask_stores(question); }
void PastClient::ask_store_rows(const control::ReadStore& question) { live_.ask_store_rows(question); }
void PastClient::ask_lines(const control::QueryLines& question) { live_.ask_lines(question); }
void PastClient::watch_spans(const TaskId& task) { live_.watch_spans(task); }
void PastClient::ask_advice(const TaskId& task) { live_.ask_advice(task); }
void PastClient::ask_policies() { live_.ask_policies(); }
void PastClient::ask_modules() { live_.ask_modules(); }

}  // namespace divisi::client
