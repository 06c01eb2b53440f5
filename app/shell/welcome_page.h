// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStringList>
#include <QVBoxLayout>
#include <QWidget>
#include <vector>

namespace divisi::shell {

/// What shows while no model is open: what to do first.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

    /// Files that can be opened again; the first of them get a button.
    void show_recent(const QStringList& paths);

Q_SIGNALS:
    void openRequested();
    void zooRequested();
    void recentRequested(const QString& path);

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    QLabel *title_, *text_, *recent_title_, *drop_;
    QPushButton *open_, *zoo_;
    QVBoxLayout* recent_;
    std::vector<QPushButton*> recent_buttons_;
};

}  // namespace divisi::shell
