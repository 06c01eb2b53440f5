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

/// Manages recordings in a window: the actions that start, stop and open them, and the sign in the status bar while
/// recording. A window that shows a recording has the bar that plays the recording; other windows have the bar for the
/// displayed time.
class Recordings : public QObject {
    Q_OBJECT
public:
    static constexpr const char* suffix = ".divisirec";

    /// All arguments must outlive this object. `client` and `past` may be null; `past` keeps the data of a live client.
    /// The cursor must use the client's clock. If the client shows a recording, playing the recording moves the cursor.
    Recordings(client::Client* client, const client::PastClient* past, Actions& actions, model::TimeCursor& cursor,
               MessageBar& messages, QMainWindow& window);
    ~Recordings() override;

    /// Returns whether the file name is the name of a recording.
    static bool is_recording(const QString& path);
    /// Starts recording to the file. On failure returns the reason and shows it in the message bar; on success returns
    /// an empty text.
    QString record(const QString& path);
    /// Returns why this window cannot record; empty if it can.
    QString why_not_recorded() const;
    /// Opens a recording: requests a window for it. If the file is not a recording or cannot be opened, shows the
    /// reason instead.
    void open(const QString& path);
    /// Shows the problem in the message bar.
    void tell(const QString& problem);
    /// Returns the player; null if the window does not show a recording.
    model::ReplayPlayer* player() { return player_; }

Q_SIGNALS:
    void openRequested(const QString& path);
    /// The recording now shows an earlier time than before, so reports about later times no longer apply.
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
    TimePoint shown_{};  ///< displayed time of the recording
    QToolButton* sign_;
    QTimer tick_;
};

}  // namespace divisi::shell
