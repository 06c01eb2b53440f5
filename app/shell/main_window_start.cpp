// SPDX-License-Identifier: GPL-3.0-or-later
// What the window does before a model is open: recent files, recordings, clusters, guided scenarios.
#include <utility>

#include "app/shell/main_window.h"

namespace divisi::shell {

void MainWindow::connect_recent() {
    connect(&draft_, &model::TaskDraft::stateChanged, recent_, [this] { recent_->add(draft_.path()); });
    connect(&document_, &model::GraphDocument::modelChanged, recent_, [this] {
        if (document_.model() && draft_.path().isEmpty())
            recent_->add(QString::fromStdString(document_.model()->source.onnx));
    });
    connect(recent_, &RecentFiles::chosen, this, &MainWindow::open_path);
    connect(welcome_, &WelcomePage::recentRequested, this, &MainWindow::open_path);
    connect(recent_, &RecentFiles::changed, welcome_, [this] { welcome_->show_recent(recent_->paths()); });
    welcome_->show_recent(recent_->paths());
}

/// What the start page offers beyond files, and the guide.
void MainWindow::connect_start() {
    connect(recordings_, &Recordings::openRequested, this, &MainWindow::replayRequested);
    connect(welcome_, &WelcomePage::recordingRequested, this, [this](const QString& path) {
        path.isEmpty() ? actions_.get("open_recording")->trigger() : recordings_->open(path);
    });
    connect(welcome_, &WelcomePage::connectRequested, this, [this] { choose_cluster(); });
    connect(welcome_, &WelcomePage::clusterRequested, this, &MainWindow::clusterRequested);
    connect(welcome_, &WelcomePage::guideRequested, guide_, &GuideDock::begin);
    for (const auto& [id, scenario] : {std::pair{"guide_cut", "cut-and-train"}, std::pair{"guide_link", "break-a-link"},
                                       std::pair{"guide_recut", "move-a-cut"}})
        on(id, [this, scenario = QString::fromLatin1(scenario)] { guide_->begin(scenario); });
    if (client_)
        connect(client_, &client::Client::statusChanged, welcome_,
                [this] { welcome_->show_cluster(client_->status()); });
    welcome_->show_cluster(client_ ? client_->status() : client::Status());
}

}  // namespace divisi::shell
