// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <QObject>
#include <QTimer>
#include <QToolButton>

#include "app/client/past_client.h"
#include "app/client/recorder.h"
#include "app/model/tracking/replay_player.h"
#include "app/shell/basics/actions.h"
#include "app/shell/basics/message_bar.h"

namespace divisi::shell {

/// Manages recordings in a window: the actions that start, stop and open them, and the status bar sign while recording.
/// A window that shows a recording has the bar that plays it; other windows have the bar of the shown moment.
class Recordings : public QObject {
    Q_OBJECT
public:
    static constexpr const char* suffix = ".divisirec";

    /// All arguments must outlive this object. `client` and `past`, which keeps the past of a live client, may be null.
    /// The cursor must use the client's clock. If the client is a recording, playing it moves the cursor.
    Recordings(client::Client* client, const client::PastClient* past, Actions& actions, model::TimeCursor& cursor,
               MessageBar& messages, QMainWindow& window);
    ~Recordings() override;

    /// Returns whether the file name is that of a recording.
    static bool is_recording(const QString& path);
    /// Starts recording to the file. On failure returns the reason and shows it in the message bar; on success returns
    /// an empty text.
    QString record(const QString& path);
    /// Returns why nothing can be recorded here; empty if recording is possible.
    QString why_not_recorded() const;
    /// Checks whether the file can be opened. If so, requests a window for it; otherwise shows the reason.
    void open(const QString& path);
    /// Shows the problem in the message bar.
    void tell(const QString& problem);
    /// Returns the player; null if the window shows no recording.
    model::ReplayPlayer* player() { return player_; }

Q_SIGNALS:
    void openRequested(const QString& path);
    /// The recording now shows an earlier moment: reports about later moments no longer apply.
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
    TimePoint shown_{};  ///< moment of the recording that is shown
    QToolButton* sign_;
    QTimer tick_;
};

}  // namespace divisi::shell
