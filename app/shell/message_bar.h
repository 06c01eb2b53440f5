// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

namespace divisi::shell {

/// A strip above the view: what went wrong, or what is under way with a button to cancel it.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void show_error(const QString& text);
    void show_progress(const QString& text);
    QString text() const { return label_->text(); }

Q_SIGNALS:
    void cancelRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void set_kind(const QString& kind);
    void retranslate();

    QLabel* label_;
    QPushButton* cancel_;
    QToolButton* close_;
};

}  // namespace divisi::shell
