// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/window/welcome_page.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QScrollArea>

#include "app/shell/presenting/scenario.h"

namespace divisi::shell {

namespace {

/// Maximum number of recent files on the page; the menu lists more.
constexpr qsizetype most_recent = 5;
constexpr int column_width = 260;

/// Adds a column with a heading and returns the layout for its content.
QVBoxLayout* add_column(QHBoxLayout& row, QLabel* title) {
    auto* holder = new QWidget;
    holder->setMinimumWidth(column_width);
    auto* column = new QVBoxLayout(holder);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    column->addWidget(title);
    row.addWidget(holder, 0, Qt::AlignTop);
    return column;
}

}  // namespace

WelcomePage::WelcomePage(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      text_(new QLabel(this)),
      model_title_(new QLabel(this)),
      cluster_title_(new QLabel(this)),
      recording_title_(new QLabel(this)),
      guide_title_(new QLabel(this)),
      recent_title_(new QLabel(this)),
      cluster_state_(new QLabel(this)),
      drop_(new QLabel(this)),
      open_(new QPushButton(this)),
      zoo_(new QPushButton(this)),
      start_(new QPushButton(this)),
      connect_(new QPushButton(this)),
      recording_(new QPushButton(this)),
      recent_(new QVBoxLayout) {
    setObjectName(QStringLiteral("welcomePage"));
    start_->setObjectName(QStringLiteral("startCluster"));
    connect_->setObjectName(QStringLiteral("startConnect"));
    recording_->setObjectName(QStringLiteral("startRecording"));
    cluster_state_->setObjectName(QStringLiteral("startState"));
    title_->setProperty("role", QStringLiteral("title"));
    drop_->setProperty("role", QStringLiteral("faint"));
    zoo_->setProperty("primary", true);
    for (QLabel* label : {model_title_, cluster_title_, recording_title_, guide_title_, recent_title_})
        label->setProperty("role", QStringLiteral("heading"));
    recent_title_->hide();
    cluster_state_->setWordWrap(true);
    for (QLabel* label : {title_, text_, drop_}) {
        label->setAlignment(Qt::AlignHCenter);
        label->setWordWrap(true);
    }
    lay_out();
    connect(open_, &QPushButton::clicked, this, &WelcomePage::openRequested);
    connect(zoo_, &QPushButton::clicked, this, &WelcomePage::zooRequested);
    connect(start_, &QPushButton::clicked, this, &WelcomePage::clusterRequested);
    connect(connect_, &QPushButton::clicked, this, &WelcomePage::connectRequested);
    connect(recording_, &QPushButton::clicked, this, [this] { Q_EMIT recordingRequested({}); });
    retranslate();
}

void WelcomePage::lay_out() {
    auto* columns = new QHBoxLayout;
    columns->setSpacing(32);
    columns->addStretch();
    QVBoxLayout* models = add_column(*columns, model_title_);
    models->addWidget(zoo_);
    models->addWidget(open_);
    models->addWidget(recent_title_);
    models->addLayout(recent_);
    QVBoxLayout* clusters = add_column(*columns, cluster_title_);
    for (QWidget* one :
         {static_cast<QWidget*>(cluster_state_), static_cast<QWidget*>(start_), static_cast<QWidget*>(connect_)})
        clusters->addWidget(one);
    QVBoxLayout* tours = add_column(*columns, guide_title_);
    build_guides(*tours);
    tours->addSpacing(8);
    tours->addWidget(recording_title_);
    tours->addWidget(recording_);
    build_samples(*tours);
    columns->addStretch();
    auto* inside = new QWidget;
    auto* page = new QVBoxLayout(inside);
    page->setContentsMargins(32, 32, 32, 32);
    page->setSpacing(16);
    page->addStretch(2);
    page->addWidget(title_);
    page->addWidget(text_);
    page->addSpacing(8);
    page->addLayout(columns);
    page->addSpacing(8);
    page->addWidget(drop_);
    page->addStretch(3);
    auto* scroll = new QScrollArea(this);  // scrolls on small screens, so that the content keeps its size
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(inside);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
}

/// Adds the recordings that are built into the program.
void WelcomePage::build_samples(QVBoxLayout& column) {
    const QDir shipped(QStringLiteral(":/samples"));
    for (const QString& name : shipped.entryList({QStringLiteral("*.divisirec")}, QDir::Files, QDir::Name)) {
        auto* button = new QPushButton(this);
        button->setObjectName(QStringLiteral("sample%1").arg(samples_.size()));
        button->setProperty("path", shipped.filePath(name));
        connect(button, &QPushButton::clicked, this,
                [this, path = shipped.filePath(name)] { Q_EMIT recordingRequested(path); });
        column.addWidget(button);
        samples_.push_back(button);
    }
}

void WelcomePage::build_guides(QVBoxLayout& column) {
    for (const QString& name : scenario_names()) {
        auto* button = new QPushButton(this);
        button->setObjectName(QStringLiteral("guide-") + name);
        connect(button, &QPushButton::clicked, this, [this, name] { Q_EMIT guideRequested(name); });
        column.addWidget(button);
        guides_.emplace_back(button, name);
    }
}

void WelcomePage::show_recent(const QStringList& paths) {
    for (QPushButton* button : recent_buttons_) delete button;
    recent_buttons_.clear();
    for (const QString& path : paths.mid(0, most_recent)) {
        QString name = QFileInfo(path).fileName();
        auto* button = new QPushButton(name.replace(u'&', QStringLiteral("&&")), this);
        button->setObjectName(QStringLiteral("recent%1").arg(recent_buttons_.size()));
        button->setToolTip(path);
        button->setAccessibleDescription(path);
        recent_->addWidget(button);
        // Queue the call, because opening the file deletes these buttons and creates new ones.
        connect(
            button, &QPushButton::clicked, this, [this, path] { Q_EMIT recentRequested(path); }, Qt::QueuedConnection);
        recent_buttons_.push_back(button);
    }
    recent_title_->setVisible(!recent_buttons_.empty());
}

void WelcomePage::show_cluster(const client::Status& status) {
    status_ = status;
    using client::Connection;
    start_->setVisible(offers_cluster(status));
    QString text;
    switch (status.connection) {
        case Connection::none:
            text =
                tr("This window has no cluster. You can open and cut models; to run them, start a cluster on this "
                   "machine or connect to one.");
            break;
        case Connection::starting: text = tr("A cluster is starting on this machine. Open a model meanwhile."); break;
        case Connection::connecting: text = tr("Connecting. Open a model meanwhile."); break;
        case Connection::connected:
            text = status.replayed ? tr("This window shows a recording of %1. To run something, start a cluster or "
                                        "connect to one.")
                                         .arg(status.where)
                                   : tr("Connected to %1. Open a model, cut it and run it there.").arg(status.where);
            break;
        case Connection::waiting:
            text = tr("There is no connection: %1. Divisi tries again automatically. You can also connect to another "
                      "cluster.")
                       .arg(status.problem);
            break;
    }
    if (offers_cluster(status)) text += u' ' + tr("Each of these opens a new window.");
    cluster_state_->setText(text);
}

void WelcomePage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) retranslate();
    QWidget::changeEvent(event);
}

void WelcomePage::retranslate() {
    title_->setText(tr("Open a model to cut it"));
    text_->setText(
        tr("Its graph appears here. Drag the cuts, read what each would cost, and run the segments "
           "on this machine or a cluster."));
    model_title_->setText(tr("Model"));
    cluster_title_->setText(tr("Cluster"));
    recording_title_->setText(tr("Watch a recording, without a cluster"));
    guide_title_->setText(tr("Step by step"));
    zoo_->setText(tr("Model from the zoo"));
    open_->setText(tr("Open a file"));
    start_->setText(tr("Start a cluster on this machine"));
    connect_->setText(tr("Connect to a cluster"));
    for (QPushButton* button : {start_, connect_, recording_}) {
        button->setToolTip(tr("Opens in a new window; this window stays as it is"));
        button->setAccessibleDescription(button->toolTip());
    }
    recording_->setText(tr("Open a recording"));
    recent_title_->setText(tr("Opened last"));
    for (QPushButton* sample : samples_)
        sample->setText(tr("Sample: %1").arg(QFileInfo(sample->property("path").toString()).completeBaseName()));
    for (const auto& [button, name] : guides_) button->setText(scenario_title(name));
    drop_->setText(
        tr("Or drop an .onnx model, a .toml task file or a recording anywhere in this window. Press ? for all keys."));
    show_cluster(status_);
}

}  // namespace divisi::shell

#include "moc_welcome_page.cpp"
