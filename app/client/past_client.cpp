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

/// Interval in ms for requesting the mesh while no view shows it; a visible view requests it ten times as often. The
/// mesh shown for a past time may be older than that time by up to this interval.
constexpr int ask_mesh_ms = 5000;
/// Interval in ms at which the clock for ages is reset, so that displayed ages stay constant. Ages are displayed with
/// at most one decimal of a second.
constexpr int hold_past_ms = 100;
/// If the clock goes back by more than this, the user has changed the clock, and the times of the kept data no longer
/// apply.
constexpr Duration clock_slack = std::chrono::seconds(1);

Steady::time_point zero(Duration at) { return Steady::now() - std::chrono::duration_cast<Steady::duration>(at); }

}  // namespace

PastClient::PastClient(Client& live, MomentText text, Bytes most, std::unique_ptr<Courier> thread)
    : live_(live), text_(std::move(text)), begun_(live.now()), past_(most), courier_(std::move(thread)) {
    connect(&live_, &Client::mailCame, this, &PastClient::hear);
    live_.on_answer<control::QueryMesh>(this, [this](const control::MeshState& mesh) {
        Mail mail;
        mesh_ = mesh;
        mail.add(control::QueryMesh{}, mesh);
        mesh_came_ = Steady::now();
        keep(std::move(mail));
    });
    forward();
    asking_.setInterval(ask_mesh_ms);
    connect(&asking_, &QTimer::timeout, this, [this] {
        if (live_.status().reaches()) live_.poll(control::QueryMesh{});
    });
    asking_.start();
    hold_.setInterval(hold_past_ms);
    connect(&hold_, &QTimer::timeout, this, [this] {
        if (shown_ && shown_->fold) shown_->fold->rebase(zero(shown_->at));
    });
    begin();
}

PastClient::~PastClient() = default;

/// Forwards the live client's signals. While a past time is shown, neither changes of the live data nor the live mesh
/// are forwarded. All other answers are always forwarded.
void PastClient::forward() {
    connect(&live_, &Client::statusChanged, this, [this] {
        if (!shown_) Q_EMIT statusChanged();
    });
    connect(&live_, &Client::dataChanged, this, [this] {
        if (!shown_) Q_EMIT dataChanged();
    });
    connect(&live_, &Client::answered, this, [this](const Answered& one) {
        if (!shown_ || !holds_alternative<control::QueryMesh>(one.question)) Q_EMIT answered(one);
    });
    connect(&live_, &Client::mailCame, this, &Client::mailCame);
    connect(&live_, &Client::uploadChanged, this, &Client::uploadChanged);
    connect(&live_, &Client::versionExported, this, &Client::versionExported);
    connect(&live_, &Client::moduleChanged, this, &Client::moduleChanged);
    connect(&live_, &Client::submitted, this, &Client::submitted);
    connect(&live_, &Client::resultsSaved, this, &Client::resultsSaved);
}

// --- keeping the data of the past --------------------------------------------------------------

/// Restarts the kept data from the current state. Drops earlier measurements, because their age is unknown.
void PastClient::begin() {
    auto mail = std::make_shared<Mail>(mail_of(live_));
    mail->loads.clear();
    mail->nodes.clear();
    if (mesh_) mail->add(control::QueryMesh{}, *mesh_);
    last_ = since_begun();
    const Duration mesh_age = Steady::now() - mesh_came_;
    courier_->run([this, mail, at = last_, mesh_age](const std::atomic<bool>&) {
        past_.begin(std::move(*mail), at, mesh_age);
        tell_from();
    });
    if (live_.status().reaches()) live_.poll(control::QueryMesh{});
}

/// Keeps the part of the mail that views of a past time show. A separate signal delivers the mesh.
void PastClient::hear(const Mail& mail) {
    if (mail.snapshot && mail.snapshot->name != live_.data().state.name)
        mesh_.reset();  // the mesh belongs to another
                        // cluster
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
    if (std::exchange(behind_, false) || since_begun() + clock_slack < last_) begin();  // restart after a gap
    last_ = std::max(last_, since_begun());
    ++waiting_;
    auto came = std::make_shared<Mail>(std::move(mail));
    courier_->run([this, came, at = since_begun()](const std::atomic<bool>&) {
        past_.take(std::move(*came), at);
        tell_from();
        --waiting_;
    });
}

/// Publishes the earliest kept time. Runs on the courier's thread.
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
    if (std::exchange(behind_, false)) begin();  // mail was dropped, so restart to avoid a gap
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
    // show the last reported mesh until the requested one arrives, because the views still show an older mesh
    if (mesh_) Q_EMIT answered({control::QueryMesh{}, control::Message(*mesh_)});
    Q_EMIT dataChanged();
    live_.poll(control::QueryMesh{});
}

void PastClient::take(std::shared_ptr<Moment> moment) {
    seeking_ = false;
    if (!wanted_) return;  // the views show live data again
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
    // Free the old state on the courier's thread, because this takes too long for the GUI thread.
    courier_->run([old = std::move(old)](const std::atomic<bool>&) {});
}

void PastClient::take_status() {
    status_ = live_.status();
    status_.connection = Connection::connected;
    status_.replayed = status_.past = true;
    status_.problem = problem();
}

QString PastClient::problem() const {
    if (!shown_->from) return tr("This window has kept no data for the moment shown.");
    if (!shown_->fold)
        return tr("The topology and states are kept from %1 on, but the moment shown is earlier. Choose a later "
                  "moment, or press Ctrl+L for now.")
            .arg(text_(begun_ + *shown_->from));
    const std::optional<Status>& told = shown_->fold->status();
    return told && told->connection != Connection::connected ? quoted(told->problem.toStdString()) : QString();
}

const ClusterData& PastClient::data() const {
    static const ClusterData none;
    if (!shown_) return live_.data();
    return shown_->fold ? shown_->fold->data() : none;
}

/// Emits the mesh of the displayed time, or an empty mesh if none is known.
void PastClient::tell_mesh() {
    control::MeshState mesh;
    if (shown_->fold) mesh = shown_->fold->mesh().value_or(mesh);
    mesh.faults_allowed = false;
    Q_EMIT answered({control::QueryMesh{}, control::Message(mesh)});
}

Duration PastClient::mesh_age() const {
    if (!shown_) return Steady::now() - mesh_came_;
    return shown_->fold && shown_->fold->mesh() ? shown_->at - shown_->fold->mesh_at() : Duration{};
}

// --- messages to the live client ---------------------------------------------------------------

/// Refuses an order if a past time is shown. Returns whether the order was refused.
bool PastClient::refuse_in_past() {
    if (!wanted_) return false;
    Status past;
    past.replayed = past.past = true;
    Q_EMIT refused(why_not_replayed(past));
    return true;
}

/// Answers questions about the mesh with the mesh of the displayed time. Passes other questions on even while a past
/// time is shown: they change nothing, and their answers contain their time.
void PastClient::send(Sending how, const control::Message& message) {
    if (control::needed_right(message) != control::Right::watch && refuse_in_past()) return;
    if (!shown_ || !holds_alternative<control::QueryMesh>(message)) return live_.send(how, message);
    const auto answer = [this] {
        if (shown_) tell_mesh();
    };
    QMetaObject::invokeMethod(this, answer, Qt::QueuedConnection);
}

void PastClient::carry_out(const LocalOrder& order) {
    if (!refuse_in_past()) live_.carry_out(order);
}

}  // namespace divisi::client

#include "moc_past_client.cpp"
