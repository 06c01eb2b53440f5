// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QObject>
#include <QTimer>
#include <QToolButton>

#include "app/client/past_client.h"
#include "app/client/recorder.h"
#include "app/model/replay_player.h"
#include "app/shell/actions.h"
#include "app/shell/message_bar.h"

namespace divisi::shell {

/// Recordings in a window: the actions that begin, end and open them, the sign in the status bar while one is made,
/// and where the window shows one, the bar that plays it; elsewhere the bar of the moment that is shown.
class Recordings : public QObject {
    Q_OBJECT
public:
    static constexpr const char* suffix = ".divisirec";

    /// All outlive it; `client` may be null, and `past`, which is what is kept of a live one. The cursor's clock is
    /// that of the client: where that is a recording, playing it moves the cursor.
    Recordings(client::Client* client, const client::PastClient* past, Actions& actions, model::TimeCursor& cursor,
               MessageBar& messages, QMainWindow& window);
    ~Recordings() override;

    /// Whether the name is that of a recording.
    static bool is_recording(const QString& path);
    /// Begins to record to the file; else says why not, in the message bar too. Empty: it records.
    QString record(const QString& path);
    /// Why nothing can be recorded here; empty where it can.
    QString why_not_recorded() const;
    /// Looks whether the file can be opened, and asks for a window on it; else says why not.
    void open(const QString& path);
    /// In the message bar.
    void tell(const QString& problem);
    /// Null where the window shows no recording.
    model::ReplayPlayer* player() { return player_; }

Q_SIGNALS:
    void openRequested(const QString& path);
    /// A recording shows an earlier moment now: what was told of later ones has not happened yet.
    void wentBack();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void show_replay(client::ReplayClient& client);
    void show_moment(const client::PastClient* past);
    void toggle();
    void choose_file();
    void refresh();

    client::Client* client_;
    Actions& actions_;
    model::TimeCursor& cursor_;
    MessageBar& messages_;
    QMainWindow& window_;
    std::unique_ptr<client::Recorder> recorder_;
    model::ReplayPlayer* player_ = nullptr;
    TimePoint shown_{};  ///< of a recording
    QToolButton* sign_;
    QTimer tick_;
};

}  // namespace divisi::shell
