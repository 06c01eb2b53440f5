// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>
#include <QWidget>
#include <vector>

#include "app/client/client.h"

namespace divisi::shell {

/// A page that is shown while no model is open, with all ways to start.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    /// Shows a button for each of the first recent files.
    void show_recent(const QStringList& paths);
    /// Shows the state of the cluster or, without a cluster, how to start or find one.
    void show_cluster(const client::Status& status);
    /// Returns whether the page offers to start a cluster, because no cluster accepts requests.
    static bool offers_cluster(const client::Status& status) {
        return status.connection == client::Connection::none || status.replayed;
    }

Q_SIGNALS:
    void openRequested();
    void zooRequested();
    void recentRequested(const QString& path);
    /// An empty path asks the user to choose a recording.
    void recordingRequested(const QString& path);
    void connectRequested();
    void clusterRequested();
    /// `scenario` is the name of a scenario.
    void guideRequested(const QString& scenario);

protected:
    void changeEvent(QEvent* event) override;

private:
    void lay_out();
    void build_samples(QVBoxLayout& column);
    void build_guides(QVBoxLayout& column);
    void retranslate();

    QLabel *title_, *text_, *model_title_, *cluster_title_, *recording_title_, *guide_title_, *recent_title_;
    QLabel *cluster_state_, *drop_;
    QPushButton *open_, *zoo_, *start_, *connect_, *recording_;
    std::vector<QPushButton*> samples_;  ///< buttons of the built-in recordings
    std::vector<std::pair<QPushButton*, QString>> guides_;
    QVBoxLayout* recent_;
    std::vector<QPushButton*> recent_buttons_;
    client::Status status_;
};

}  // namespace divisi::shell
