// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/replay/recordings.h"

#include <QDateTime>
#include <QDir>
#include <QEvent>
#include <QFileDialog>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QStatusBar>
#include <utility>

#include "app/client/refusal_text.h"
#include "app/model/wording/states.h"
#include "app/model/wording/text.h"
#include "app/shell/replay/moment_bar.h"
#include "app/shell/replay/transport_bar.h"

namespace divisi::shell {

namespace {

constexpr int sign_tick_ms = 500;

/// Proposes a file in the user's documents, such as "lab-2026-11-24-0951.divisirec".
QString proposed_file(const client::Client& client) {
    QString name = client.status().where.isEmpty() ? QStringLiteral("cluster") : client.status().where;
    name.replace(QRegularExpression(QStringLiteral("[^\\w.-]+")), QStringLiteral("-"));
    const QString when = QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmm"));
    const QDir folder(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    return folder.filePath(QStringLiteral("%1-%2").arg(name, when) + QLatin1String(Recordings::suffix));
}

}  // namespace

Recordings::Recordings(client::Client* client, const client::PastClient* past, Actions& actions,
                       model::TimeCursor& cursor, MessageBar& messages, QMainWindow& window)
    : QObject(&window),
      client_(client),
      actions_(actions),
      cursor_(cursor),
      messages_(messages),
      window_(window),
      sign_(new QToolButton(&window)) {
    sign_->setObjectName(QStringLiteral("recordingSign"));
    sign_->setAutoRaise(true);
    window_.statusBar()->addPermanentWidget(sign_);
    tick_.setInterval(sign_tick_ms);
    connect(&tick_, &QTimer::timeout, this, &Recordings::refresh);
    QAction* record = actions_.get("record");
    record->setCheckable(true);
    connect(record, &QAction::triggered, this, &Recordings::toggle);
    connect(sign_, &QToolButton::clicked, record, &QAction::trigger);
    connect(actions_.get("open_recording"), &QAction::triggered, this, &Recordings::choose_file);
    auto* replay = qobject_cast<client::ReplayClient*>(client_);
    replay ? show_replay(*replay) : show_moment(past);
    if (client_ && !replay) {
        recorder_ = std::make_unique<client::Recorder>(*client_);
        connect(recorder_.get(), &client::Recorder::activeChanged, this, &Recordings::refresh);
        connect(recorder_.get(), &client::Recorder::failed, this, &Recordings::tell);
    }
    window_.installEventFilter(this);
    refresh();
}

Recordings::~Recordings() = default;

bool Recordings::is_recording(const QString& path) { return path.endsWith(QLatin1String(suffix), Qt::CaseInsensitive); }

void Recordings::show_replay(client::ReplayClient& client) {
    player_ = new model::ReplayPlayer(client, cursor_, this);
    window_.addToolBar(Qt::BottomToolBarArea, new TransportBar(*player_, &window_));
    connect(actions_.get("play_recording"), &QAction::triggered, player_, &model::ReplayPlayer::toggle);
    connect(&cursor_, &model::TimeCursor::moved, this, [this] {
        if (cursor_.at() < std::exchange(shown_, cursor_.at())) Q_EMIT wentBack();
    });
    const auto tell_note = [this, &client] {
        if (!client.note().isEmpty()) tell(client.note());
    };
    if (client.is_scanned()) tell_note();
    else connect(&client, &client::ReplayClient::scanned, this, tell_note);
}

/// Adds the bar with which the user can go back in time on a running cluster.
void Recordings::show_moment(const client::PastClient* past) {
    window_.statusBar()->addPermanentWidget(new MomentBar(cursor_, client_, past, &window_));
    connect(actions_.get("play_recording"), &QAction::triggered, this, [this] { TimeCursorButton::toggle(cursor_); });
}

QString Recordings::record(const QString& path) {
    QString problem;
    if (!recorder_) {
        problem = why_not_recorded();
    } else if (const Result<void> done = recorder_->start(path.toStdString()); !done.ok()) {
        problem = tr("Nothing is recorded: %1").arg(client::quoted(done.error()));
    }
    if (!problem.isEmpty()) tell(problem);
    refresh();
    return problem;
}

QString Recordings::why_not_recorded() const {
    if (recorder_) return {};
    return client_ ? client::why_not_replayed(client_->status()) : client::no_cluster_text();
}

void Recordings::toggle() {
    if (!recorder_) return refresh();
    if (recorder_->active()) return recorder_->stop();
    auto* dialog = new QFileDialog(&window_, tr("Record to"), {}, tr("Recordings (*.divisirec)"));
    dialog->setObjectName(QStringLiteral("recordDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QLatin1String(suffix).mid(1));
    dialog->selectFile(proposed_file(*client_));
    connect(dialog, &QFileDialog::fileSelected, this, &Recordings::record);
    connect(dialog, &QDialog::finished, this, &Recordings::refresh);  // restores the action's check mark
    dialog->open();
}

void Recordings::choose_file() {
    auto* dialog = new QFileDialog(&window_, tr("Open recording"), {}, tr("Recordings (*.divisirec);;All files (*)"));
    dialog->setObjectName(QStringLiteral("recordingDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &Recordings::open);
    dialog->open();
}

void Recordings::open(const QString& path) {
    if (!path.startsWith(u':')) {  // built-in recordings are complete, so they need no check
        const Result<void> can = client::ReplayClient::check(path.toStdString());
        if (!can.ok()) return tell(client::quoted(can.error()));
    }
    Q_EMIT openRequested(path);
}

void Recordings::tell(const QString& problem) { messages_.show_error(problem); }

void Recordings::refresh() {
    const bool active = recorder_ && recorder_->active();
    sign_->setVisible(active);
    active ? tick_.start() : tick_.stop();
    QAction* record = actions_.get("record");
    actions_.allow("record", why_not_recorded());
    record->setChecked(active);
    if (!active) return;
    const QString file = QDir::toNativeSeparators(QString::fromStdString(recorder_->path().string()));
    const double ms = std::chrono::duration<double, std::milli>(recorder_->elapsed()).count();
    sign_->setText(QStringLiteral("\u25cf ") +
                   tr("Recording %1, %2").arg(model::duration_text(ms), model::bytes_text(recorder_->size())));
    sign_->setToolTip(tr("Recording to %1. Click to end it.").arg(file));
    sign_->setAccessibleName(sign_->text());
}

bool Recordings::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::LanguageChange) refresh();
    return QObject::eventFilter(watched, event);
}

}  // namespace divisi::shell

#include "moc_recordings.cpp"
