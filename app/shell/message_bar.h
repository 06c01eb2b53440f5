// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <functional>

namespace divisi::shell {

/// A strip above the view: what went wrong, or what is under way with a button to cancel it.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void show_error(const QString& text);
    /// An error with a button for what can be done about it.
    void show_failure(const QString& text, const QString& offer, std::function<void()> run);
    /// The same of what is no error.
    void show_notice(const QString& text, const QString& offer, std::function<void()> run);
    void show_progress(const QString& text);
    /// Hides what is under way; an error stays until it is read.
    void end_progress();
    /// What was offered holds no more; an error stays until it is read.
    void end_notice();
    QString text() const { return label_->text(); }
    /// Whether it holds what went wrong, which nobody has closed yet.
    bool shows_error() const { return !isHidden() && property("kind").toString() == QStringLiteral("error"); }

Q_SIGNALS:
    void cancelRequested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void set_kind(const QString& kind);
    void show_offer(const QString& text, const QString& offer, std::function<void()> run);
    void retranslate();

    QLabel* label_;
    QPushButton* offer_;
    QPushButton* cancel_;
    QToolButton* close_;
    std::function<void()> run_;  ///< what the offer does
};

}  // namespace divisi::shell
