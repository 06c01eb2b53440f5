// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>

namespace divisi::shell {

/// What shows while no model is open: what to do first.
class WelcomePage : public QWidget {
    Q_OBJECT
public:
    explicit WelcomePage(QWidget* parent = nullptr);

Q_SIGNALS:
    void openRequested();
    void zooRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    QLabel *title_, *text_, *drop_;
    QPushButton *open_, *zoo_;
};

}  // namespace divisi::shell
