// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <functional>

namespace divisi::shell {

/// A strip above the view that shows an error, a notice, or a running operation with a cancel button.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    explicit MessageBar(QWidget* parent = nullptr);

    void show_error(const QString& text);
    /// Shows an error with a button that offers a remedy.
    void show_failure(const QString& text, const QString& offer, std::function<void()> run);
    /// Shows a notice, which is not an error, with a button that offers an action.
    void show_notice(const QString& text, const QString& offer, std::function<void()> run);
    void show_progress(const QString& text);
    /// Hides the progress of an operation. An error remains until the user closes it.
    void end_progress();
    /// Hides an offer that no longer applies. An error remains until the user closes it.
    void end_notice();
    QString text() const { return label_->text(); }
    /// Returns whether the bar shows an error that the user has not closed yet.
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
    std::function<void()> run_;  ///< action of the offer button
};

}  // namespace divisi::shell
