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

/// What shows while no model is open: what to do first. Every way into the program begins here.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    /// Files that can be opened again; the first of them get a button.
    void show_recent(const QStringList& paths);
    /// What the cluster is, and what can be done where there is none.
    void show_cluster(const client::Status& status);
    /// Whether a cluster can be started from here: there is none that can be asked.
    static bool offers_cluster(const client::Status& status) {
        return status.connection == client::Connection::none || status.replayed;
    }

Q_SIGNALS:
    void openRequested();
    void zooRequested();
    void recentRequested(const QString& path);
    /// Empty: one is to be chosen.
    void recordingRequested(const QString& path);
    void connectRequested();
    void clusterRequested();
    /// The name of a scenario.
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
    std::vector<QPushButton*> samples_;  ///< recordings that are shipped
    std::vector<std::pair<QPushButton*, QString>> guides_;
    QVBoxLayout* recent_;
    std::vector<QPushButton*> recent_buttons_;
    client::Status status_;
};

}  // namespace divisi::shell
